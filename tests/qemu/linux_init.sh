#!/bin/busybox sh
# The first process of the Linux guest: loads the drivers, copies the medium onto the NVMe drive, and switches off.
# `medium` comes from the kernel's command line: usb-storage or nvme. An nvme drive is known by its serial number.
busybox mount -t devtmpfs none /dev
busybox mount -t proc none /proc
busybox mount -t sysfs none /sys
exec < /dev/console > /dev/console 2>&1

say() { echo "install: $*"; }
end() { busybox poweroff -f; }
fail() { say "FAILED: $*"; end; }

nvme_with_serial() {
    for drive in /sys/block/nvme*; do
        read -r serial < "$drive/device/serial" || continue
        if [ "$serial" = "$1" ]; then echo "/dev/${drive##*/}"; fi
    done 2> /dev/null
}

find_drives() {
    system=$(nvme_with_serial system)
    case $medium in
        nvme) install_media=$(nvme_with_serial medium) ;;
        *) install_media=/dev/sda ;;
    esac
    [ -b "$install_media" ] && [ -b "$system" ]
}

while read -r module; do
    busybox insmod "/modules/$module" || fail "$module could not be loaded"
done < /modules/order

waited=0
until find_drives; do
    waited=$((waited + 1))
    [ $waited -lt 300 ] || fail "the drives are not there after 30 s: medium '$install_media', system '$system'"
    busybox usleep 100000
done

say "copying $install_media to $system"
busybox dd if="$install_media" of="$system" bs=64k || fail "dd ended with $?"
busybox sync
say "done"
busybox sleep 1 # so that a watcher sees the last of it
end
