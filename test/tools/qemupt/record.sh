#!/bin/sh
# record.sh CACHE OUT PROGRAM...: records programs of guest/ in an emulated machine with a stock Debian kernel.
# Leaves OUT/PROGRAM/perf.data and truth.folded, and OUT/root for --symfs. The kernel is downloaded once, to CACHE.
set -e
here=$(cd "$(dirname "$0")" && pwd); mkdir -p "$1" "$2"; cache=$(cd "$1" && pwd); out=$(cd "$2" && pwd); shift 2

# The kernel's package is not installed.
if [ ! -f "$cache/vmlinux" ]; then
	cd "$cache"
	package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-6.*\)/\1/p' | head -1)
	apt-get -q download "$package" || { echo "apt cannot download the kernel ${package:-linux-image-amd64}"; exit 3; }
	dpkg-deb --fsys-tarfile linux-image-*.deb |
		tar x --wildcards --transform 's,.*/,,' './boot/vmlinuz-*' '*/drivers/virtio/*.ko' '*/virtio_blk.ko'
	python3 -c "import lzma, sys
d = open(sys.argv[1], 'rb').read()
open('unpacked', 'wb').write(lzma.LZMADecompressor().decompress(d[d.find(b'\xfd7zXZ\0'):]))" vmlinuz-*
	rm linux-image-*.deb vmlinuz-*
	mv unpacked vmlinux
fi

# The file system of the guest.
root=$out/root; mkdir "$root"; cd "$root"
mkdir -p bin usr/bin proc sys dev tmp root mod
busybox=$(command -v busybox); perf=$(readlink -f "$(command -v perf)")
cp "$busybox" bin/busybox; cp "$perf" usr/bin/perf; cp "$cache"/*.ko mod
for name in sh mount mkdir cat echo sleep insmod poweroff tar sync true; do ln -s busybox bin/$name; done
for library in $(ldd "$perf" | grep -o '/[^ ]*'); do mkdir -p ".${library%/*}"; cp -L "$library" ".$library"; done
for source in "$here"/guest/*.c; do
	gcc -O1 -g0 -fno-inline -fno-optimize-sibling-calls -static -pthread -o "usr/bin/$(basename "$source" .c)" "$source"
done
cp "$here/guest/init" init; chmod +x init; echo "$@" > programs
find . | cpio -o -H newc --quiet > "$out/initrd.cpio"

# The machine: two CPUs take turns.
gcc -O2 -Wall -shared -fPIC -o "$out/qpt.so" "$here/qpt.c"
truncate -s 128M "$out/disk"
timeout 500 qemu-system-x86_64 -M pc -accel tcg,thread=single,tb-size=256 -icount shift=0,sleep=off \
	-cpu max,family=6,model=94,stepping=3,vendor=GenuineIntel,-la57,-svm -smp 2 -m 640 \
	-nodefaults -no-user-config -display none -serial "file:$out/console" -no-reboot \
	-drive "file=$out/disk,format=raw,if=none,id=d0,cache=unsafe" -device virtio-blk-pci,drive=d0 \
	-kernel "$cache/vmlinux" -initrd "$out/initrd.cpio" -plugin "$out/qpt.so,out=$out" \
	-append "console=ttyS0 nokaslr tsc=reliable nowatchdog no_timer_check random.trust_cpu=on panic=-1 spectre_v2=retpoline"
tar xf "$out/disk" -C "$out" || { tail "$out/console"; exit 1; }
rm "$out/disk" "$out/initrd.cpio"

number=0
for program in "$@"; do
	number=$((number + 1)); run=$out/$program; mv "$out/$number" "$run"
	grep warning: "$run/log" && exit 1
	python3 "$here/splice.py" "$out/$program.data" "$run"
	perf script -i "$run/perf.data" --symfs "$root" --itrace=be --ns -F-event,-period,+addr,-comm,+flags,-dso < /dev/null |
		python3 "$here/truth.py" "$run"
done
