#include "client/diagnosis.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace qmpwatch::client;

namespace {

using words = std::vector<std::string>;

socket_use use(words arguments, const char* path = "/run/vm/mon.sock") {
    arguments.insert(arguments.begin(), "qemu-system-x86_64");
    return use_of_socket(arguments, path);
}

}  // namespace

TEST_CASE("a monitor of its own") {
    CHECK(use({"-qmp", "unix:/run/vm/mon.sock,server=on,wait=off"}) == socket_use::monitor);
    CHECK(use({"-monitor", "unix:mon.sock,server,nowait"}) == socket_use::monitor);
    CHECK(use({"-qmp-pretty", "unix:mon.sock,server=on"}) == socket_use::monitor);
    CHECK(use({"--qmp", "unix:mon.sock,server=on"}) == socket_use::monitor);
    CHECK(use({"-chardev", "socket,id=m,path=/run/vm/mon.sock,server=on,wait=off", "-mon", "chardev=m,mode=control"}) ==
          socket_use::monitor);
    CHECK(use({"-mon", "m,mode=readline", "-chardev", "socket,path=mon.sock,id=m"}) == socket_use::monitor);
}

TEST_CASE("a monitor that shares its socket with a serial port") {
    CHECK(use({"-chardev", "socket,id=m,path=/run/vm/mon.sock,mux=on", "-mon", "chardev=m", "-serial", "chardev:m"}) ==
          socket_use::muxed);
    CHECK(use({"-serial", "mon:unix:/run/vm/mon.sock,server=on"}) == socket_use::muxed);
}

TEST_CASE("sockets of something else") {
    CHECK(use({"-chardev", "socket,path=mon.sock,id=q", "-device", "virtio-serial", "-device",
               "virtserialport,chardev=q,name=org.qemu.guest_agent.0"}) == socket_use::guest_agent);
    CHECK(use({"-chardev", "socket,path=mon.sock,id=q", "-device", "isa-serial,chardev=q"}) == socket_use::serial);
    CHECK(use({"-serial", "unix:mon.sock,server=on"}) == socket_use::serial);
    CHECK(use({"-chardev", "socket,path=mon.sock,id=q", "-serial", "chardev:q"}) == socket_use::serial);
}

TEST_CASE("not on the command line") {
    CHECK(use({}) == socket_use::unknown);
    CHECK(use({"-qmp", "unix:/run/vm/other.sock,server=on"}) == socket_use::unknown);
    CHECK(use({"-qmp", "unix:/run/other/mon.sock,server=on"}) == socket_use::unknown);
    CHECK(use({"-qmp", "unix:/run/other/mon.sock,server=on"}, "mon.sock") == socket_use::monitor);
    CHECK(use({"-qmp"}) == socket_use::unknown);
    CHECK(use({"-chardev", ""}) == socket_use::unknown);
    CHECK(use({"-qmp", "tcp:127.0.0.1:4444"}) == socket_use::unknown);
}

TEST_CASE("QEMU is recognised under wrappers, and other programs are not") {
    CHECK(is_qemu({"/usr/bin/qemu-system-aarch64", "-M", "virt"}));
    CHECK(is_qemu({"/lib64/ld-linux-x86-64.so.2", "--library-path", "/x", "/opt/q/usr/bin/qemu-system-x86_64"}));
    CHECK(is_qemu({"/usr/libexec/qemu-kvm"}));
    CHECK(is_qemu({"kvm", "-m", "1G"}));
    CHECK_FALSE(is_qemu({"libvirtd", "--timeout", "120"}));
    CHECK_FALSE(is_qemu({}));
}

TEST_CASE("each sentence says what to do") {
    for (const socket_use one : {socket_use::muxed, socket_use::guest_agent, socket_use::serial, socket_use::monitor}) {
        CHECK(explain_silence(one).find("-qmp") != std::string::npos);
    }
    CHECK(explain_silence(socket_use::unknown).find("another client") != std::string::npos);
}
