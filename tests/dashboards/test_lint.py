"""Each rule of lint.py finds the fault that it is there for, and the committed dashboards have none of them."""
import copy
import unittest

import expressions
import lint

BOARDS = expressions.load()


def first(board, kind="timeseries"):
    return next(panel for panel in expressions.panels(board) if panel["type"] == kind)


class Broken(unittest.TestCase):
    def setUp(self):
        self.board = copy.deepcopy(BOARDS["vm.json"])

    def assert_found(self, wanted):
        findings = list(lint.check(self.board))
        self.assertTrue(any(wanted in finding for finding in findings), f"not found: {wanted}; only {findings}")

    def ask(self, expression):
        first(self.board)["targets"][0]["expr"] = expression

    def test_the_committed_one_is_whole(self):
        self.assertEqual(list(lint.check(self.board)), [])

    def test_no_uid(self):
        del self.board["uid"]
        self.assert_found("uid is missing")

    def test_a_long_uid(self):
        self.board["uid"] = "q" * 41
        self.assert_found("at most 40")

    def test_inputs(self):
        self.board["__inputs"] = []
        self.assert_found("__inputs makes")

    def test_id_of_a_server(self):
        self.board["id"] = 7
        self.assert_found("id makes")

    def test_editable(self):
        self.board["editable"] = True
        self.assert_found("editable")

    def test_no_links(self):
        self.board["links"] = []
        self.assert_found("no link")

    def test_a_link_that_forgets_the_time(self):
        self.board["links"][0]["keepTime"] = False
        self.assert_found("no link")

    def test_a_fixed_data_source(self):
        first(self.board)["targets"][0]["datasource"] = {"type": "prometheus", "uid": "abc"}
        self.assert_found("data source")

    def test_a_variable_with_one_value(self):
        self.board["templating"]["list"][3]["multi"] = False
        self.assert_found("variable vm must take several")

    def test_a_variable_that_is_not_refreshed(self):
        self.board["templating"]["list"][3]["refresh"] = 1
        self.assert_found("variable vm is not refreshed")

    def test_an_unknown_variable(self):
        first(self.board)["title"] = "Of $host"
        self.assert_found("$host is no variable")

    def test_two_panels_with_one_id(self):
        first(self.board)["id"] = 1
        self.assert_found("different positive numbers")

    def test_panels_on_top_of_each_other(self):
        first(self.board)["gridPos"]["y"] -= 1
        self.assert_found("lies on")

    def test_a_panel_without_title(self):
        first(self.board)["title"] = ""
        self.assert_found("no title")

    def test_two_panels_with_one_title(self):
        first(self.board)["title"] = first(self.board, "stat")["title"]
        self.assert_found("two panels are called")

    def test_a_panel_without_description(self):
        first(self.board)["description"] = ""
        self.assert_found("no description")

    def test_a_panel_without_unit(self):
        del first(self.board)["fieldConfig"]["defaults"]["unit"]
        self.assert_found("no unit")

    def test_a_scaled_unit(self):
        first(self.board)["fieldConfig"]["defaults"]["unit"] = "MBs"
        self.assert_found("unit 'MBs'")

    def test_a_panel_of_old(self):
        first(self.board)["type"] = "graph"
        self.assert_found("unknown type 'graph'")

    def test_two_queries_with_one_name(self):
        panel = first(self.board)
        panel["targets"].append(panel["targets"][0])
        self.assert_found("one refId")

    def test_a_fixed_window(self):
        self.ask(first(self.board)["targets"][0]["expr"].replace("$__rate_interval", "5m"))
        self.assert_found("the window [5m]")

    def test_a_bare_counter(self):
        self.ask('qemu_events_total{job=~"$job", instance=~"$instance", vm=~"$vm"}')
        self.assert_found("a counter outside")

    def test_equality_with_several_values(self):
        self.ask('qemu_up{job=~"$job", instance=~"$instance", vm="$vm"}')
        self.assert_found("vm=,")

    def test_no_selection(self):
        self.ask("sum(qemu_up)")
        self.assert_found("qemu_up without a selection")

    def test_half_a_selection(self):
        self.ask('qemu_up{instance=~"$instance", vm=~"$vm"}')
        self.assert_found('qemu_up without job=~"$job"')


class Together(unittest.TestCase):
    def test_one_uid_twice(self):
        self.assertIn("one uid", "".join(lint.check_together({"a": BOARDS["vm.json"], "b": BOARDS["vm.json"]})))

    def test_a_dead_link(self):
        only = {"fleet.json": BOARDS["fleet.json"]}
        self.assertIn("/d/qmpwatch-vm", "".join(lint.check_together(only)))

    def test_syntax(self):
        self.assertEqual(list(lint.check_syntax(["sum(up)"])), [])
        self.assertTrue(list(lint.check_syntax(["sum(up)", "sum(up"])))

    def test_metrics(self):
        exposition = "".join(f"# TYPE {name} gauge\n" for name in (*lint.LEFT_OFF, "qemu_up"))
        self.assertEqual(list(lint.check_metrics(exposition, {"qemu_up", "up"}, set())), [])
        renamed = "".join(lint.check_metrics(exposition, {"qemu_up", "qemu_old"}, set()))
        self.assertIn("qemu_old is on a dashboard", renamed)
        self.assertIn("qemu_up is exported", "".join(lint.check_metrics(exposition, set(), set())))

    def test_histograms_are_asked_for_by_their_buckets(self):
        self.assertEqual(lint.exported("# TYPE a histogram\n# TYPE b_total counter\n"), {"a_bucket", "b_total"})

    def test_a_mount_of_nothing(self):
        self.assertIn("./nothing.json", "".join(lint.check_compose("  - ./nothing.json:/there.json:ro\n")))


class Expressions(unittest.TestCase):
    def test_metrics_of_an_expression(self):
        for text, names in {
            "sum by (vm) (rate(a_total{x=~\"b c\"}[1m]))": {"a_total"},
            "a / on (vm, drive) group_left (bus) b:c:d > 0.5e3 and e unless 1": {"a", "b:c:d", "e"},
            "max_over_time(a[5m:10s] offset 5m) or vector(1)": {"a"},
            "a{b=\"}\"} > bool 0": {"a"},
            "max_over_time(a[1h] @ end())": {"a"},
        }.items():
            self.assertEqual(expressions.metrics(text), names, text)

    def test_filling_in(self):
        values = {"b": "1", "__range": "2", "c": "3"}
        self.assertEqual(expressions.fill_in('a{b=~"$b"}[$__range] ${c:queryparam}', values), 'a{b=~"1"}[2] 3')
        with self.assertRaises(KeyError):
            expressions.fill_in("$nothing", {})

    def test_all_kinds_are_there(self):
        self.assertEqual({each.kind for each in expressions.expressions()}, {"instant", "range", "annotation"})
        self.assertFalse([each for each in expressions.expressions() if "$" in each.expression])


if __name__ == "__main__":
    unittest.main()
