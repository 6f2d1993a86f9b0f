#!/bin/bash
# usage: tools/bochs.sh STATIC_PROGRAM [argument...]
# Boots Debian's kernel in Bochs on a CPU with AVX-512 (F, CD, BW, DQ, VL) and runs the program
# there as the only process. The exit code is the program's; 125 if it never came to an end, 75
# (after `skipped: reason`) if there is no kernel to boot. LIMIT bounds the seconds.
set -euo pipefail
program=$(realpath "$1")
shift
: "${LIMIT:=900}"
kernels=$(realpath "$(dirname "$0")/..")/target/avx512/kernel
work=$(mktemp -d)
holder=
trap 'rm -rf "$work"; [ -z "$holder" ] || kill "$holder" 2>/dev/null || true' EXIT
cd "$work"

# The kernel is only unpacked, not installed.
if ! ls "$kernels"/boot/vmlinuz-*-cloud-amd64 >/dev/null 2>&1; then
    package=$(apt-cache search --names-only '^linux-image-[0-9.]+-[0-9]+-cloud-amd64-unsigned$' |
        cut -d' ' -f1 | sort -V | tail -n 1)
    mkdir download
    if ! (cd download && apt-get -q download "$package" >log 2>&1 && dpkg -x ./*.deb "$kernels"); then
        echo "skipped: the kernel ${package:-(none was found)} could not be downloaded"
        exit 75
    fi
fi

mkdir -p root/bin root/proc root/dev root/tmp iso/isolinux
cp /bin/busybox root/bin/
strip -o root/program "$program"
arguments=
[ "$#" -eq 0 ] || printf -v arguments '%q ' "$@"
cat >root/init <<END
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
exec >/dev/ttyS0 2>&1
/bin/busybox grep -m1 -o 'avx512[a-z_0-9 ]*' /proc/cpuinfo
cd /tmp
/program $arguments
echo "GUEST_EXIT_CODE=\$?"
/bin/busybox poweroff -f
END
chmod +x root/init
(cd root && find . | /bin/busybox cpio -o -H newc 2>/dev/null | gzip -1) >iso/isolinux/initrd.gz
cp "$kernels"/boot/vmlinuz-*-cloud-amd64 iso/isolinux/vmlinuz
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 iso/isolinux/
# Bochs gives the size of the compacted XSAVE area wrong, for which Linux would turn AVX off:
# clearcpuid takes XSAVEC and XSAVES away.
cat >iso/isolinux/isolinux.cfg <<'END'
DEFAULT l
PROMPT 0
LABEL l
 KERNEL vmlinuz
 APPEND initrd=initrd.gz console=ttyS0,115200 quiet nokaslr mitigations=off panic=-1 lpj=1000000 tsc=reliable clocksource=tsc no_timer_check random.trust_cpu=on clearcpuid=321,323
END
xorriso -as mkisofs -quiet -o boot.iso -b isolinux/isolinux.bin -c isolinux/boot.cat \
    -no-emul-boot -boot-load-size 4 -boot-info-table iso 2>/dev/null
cat >bochsrc <<'END'
plugin_ctrl: unmapped=1, biosdev=1, speaker=0, extfpuirq=1, parallel=0, serial=1, iodebug=0
config_interface: textconfig
display_library: term
romimage: file=/usr/share/bochs/BIOS-bochs-latest, options=fastboot
vgaromimage: file=/usr/share/vgabios/vgabios.bin
cpu: model=corei7_skylake_x, count=1, ips=50000000, reset_on_triple_fault=0, ignore_bad_msrs=1
memory: guest=512, host=512
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=boot.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=serial.txt
clock: sync=none
vga: extension=vbe, update_freq=1
log: bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
END
# Debian's Bochs starts at the prompt of its debugger, and wants a terminal whose input stays open.
printf 'c\nq\n' >debugger
mkfifo input
sleep "$((LIMIT + 5))" >input &
holder=$!
TERM=xterm timeout "$LIMIT" script -qfec "bochs -q -f bochsrc -rc debugger" /dev/null \
    <input >terminal.txt 2>&1 || true

touch serial.txt
tr -d '\r' <serial.txt | sed -n '/avx512\|^running/,$p' | sed '/^GUEST_EXIT_CODE=/d; /reboot: /d'
if ! grep -q avx512bw serial.txt; then
    echo "the emulated CPU shows no AVX-512; the last lines of its console and of the emulator:"
    tail -n 5 serial.txt bochs.log terminal.txt 2>/dev/null || true
    exit 1
fi
code=$(tr -d '\r' <serial.txt | sed -n 's/^GUEST_EXIT_CODE=//p')
if [ -z "$code" ]; then
    echo "the program did not end within $LIMIT seconds; allow more: LIMIT=$((LIMIT * 2))"
    exit 125
fi
exit "$code"
