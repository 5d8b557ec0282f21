# The guest of these tests: a boot sector that reads its boot drive at an even pace, forever.
#
# It reads 32 KiB at every tick of the timer, which it sets to 120 ticks a second: one INT 13h is one operation of
# QEMU's block layer. Each byte that arrives at the first serial port is copied to port 0xe9 (QEMU's -debugcon), so that
# a test can tell whether somebody has typed into the guest. A `B` is written there first.
#
#   as --32 -o guest.o guest.s && ld -m elf_i386 -Ttext 0x7c00 --oformat binary -o guest.bin guest.o
.code16
.globl _start
.set sectors_per_read, 64
.set read_until_sector, 32768           # 16 MiB, then again from the start
.set timer_divisor, 9943                # 1193182 Hz / 9943 = 120 Hz
.set serial_data, 0x3f8
.set serial_status, 0x3fd
.set debug_port, 0xe9

_start:
    cli
    xorw %ax, %ax
    movw %ax, %ds
    movw %ax, %ss
    movw $0x7c00, %sp
    sti
    cld
    movb %dl, boot_drive                # the BIOS says from which drive it has booted
    movb $'B', %al
    outb %al, $debug_port

    movb $0x34, %al                     # timer 0, both bytes of the divisor, rate generator
    outb %al, $0x43
    movw $timer_divisor, %ax
    outb %al, $0x40
    movb %ah, %al
    outb %al, $0x40

next_read:
    movw $packet, %si
    movb $0x42, %ah                     # extended read
    movb boot_drive, %dl
    int $0x13
    movl sector, %eax
    addl $sectors_per_read, %eax
    cmpl $read_until_sector, %eax
    jb in_range
    xorl %eax, %eax
in_range:
    movl %eax, sector

copy_typed:
    movw $serial_status, %dx
    inb %dx, %al
    cmpb $0xff, %al                     # there is no serial port
    je nothing_typed
    testb $1, %al
    jz nothing_typed
    movw $serial_data, %dx
    inb %dx, %al
    outb %al, $debug_port
    jmp copy_typed
nothing_typed:
    hlt                                 # until the next tick
    jmp next_read

boot_drive: .byte 0
.balign 4
packet:                                 # disk address packet of the extended read
    .byte 16, 0
    .word sectors_per_read
    .word 0x0000, 0x1000                # to 1000:0000
sector:
    .long 0, 0
.org 510
    .word 0xaa55
