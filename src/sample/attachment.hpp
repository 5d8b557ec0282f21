// How a drive is attached: the walk through QOM that finds out, one question at a time, without I/O.
#pragma once

#include "sample/drive.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qmpwatch::sample {

/// One qom-get.
struct qom_question {
    std::string path;
    std::string property;
};

/// Walks from a drive's qdev up to its controller:
///     attachment_walk walk{qdev};
///     while (const qom_question* question = walk.next()) walk.answer(ask(*question));
///     use(walk.result());
/// It ends after at most twelve questions, whatever is answered.
class attachment_walk {
public:
    /// `qdev` as query-blockstats prints it: the id of a device or a QOM path.
    explicit attachment_walk(std::string qdev);

    /// The question to ask now; null when the walk is over.
    const qom_question* next() const;

    /// The answer to it; none when QEMU refused.
    void answer(std::optional<std::string> value);

    /// What is known so far.
    attachment result() const;

private:
    enum class step { type_of_frontend, type_of_owner, bus_of_device, type_of_controller, done };
    void advance();

    std::string qdev_;
    step step_ = step::done;
    std::optional<qom_question> question_;
    attachment found_;
    std::string path_;  ///< the device that the walk has reached
    int asked_ = 0;
};

/// The guest's view of a device, from QOM type names: scsi-hd owned by usb-storage is usb-storage, virtio-blk-device is
/// virtio-blk, cfi.pflash01 is pflash. `owner` is the type of the device whose child the frontend is, or empty.
std::string attachment_name(std::string_view frontend, std::string_view owner);

/// What the shape of a qdev's QOM path gives away without a question: usb-storage, virtio-blk or pflash, else empty.
attachment attachment_from_path(std::string_view qdev);

/// One `drive = "..."` line of HMP's `info qtree` and the devices above it.
struct qtree_drive {
    std::string drive;  ///< the drive's device name, or its node name
    qmpwatch::sample::attachment attachment;
};

/// Reads what `info qtree` prints: the device tree with the drives in it. Never fails.
std::vector<qtree_drive> decode_hmp_qtree(std::string_view text);

}  // namespace qmpwatch::sample
