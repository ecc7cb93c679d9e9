;; Finds the entries of a block whose texts contain a string. find-entries.ts contains the binary.
(module
  (import "texts" "memory" (memory 1))

  ;; Filters the `count` numbers at `entries` in place: keeps an entry if its texts contain the `length` bytes at `needle`.
  ;; Writes the address of the first occurrence in each kept entry to `positions`. The texts of entry i begin at the i-th
  ;; address in `starts` and end at the next one. Reads up to 67 bytes past the end of the texts, and 15 past that of the
  ;; needle.
  ;; Returns the number of kept entries.
  (func (export "findEntries")
    (param $needle i32) (param $length i32) (param $starts i32)
    (param $entries i32) (param $count i32) (param $positions i32)
    (result i32)
    (local $i i32) (local $found i32) (local $start i32)
    (local $at i32) (local $end i32) (local $hits i32) (local $hit i32) (local $k i32)
    (local $differing i32) (local $rest i32)
    (local $first v128) (local $last v128)

    (local.set $first (i8x16.splat (i32.load8_u (local.get $needle))))
    (local.set $last (i8x16.splat (i32.load8_u
      (i32.sub (i32.add (local.get $needle) (local.get $length)) (i32.const 1)))))

    ;; Reads the first bytes of all entries. Nothing depends on them, so that cache misses overlap.
    (block $read
      (loop $nextRead
        (br_if $read (i32.ge_u (local.get $i) (local.get $count)))
        (local.set $at (i32.load (i32.add (local.get $starts) (i32.shl
          (i32.load (i32.add (local.get $entries) (i32.shl (local.get $i) (i32.const 2))))
          (i32.const 2)))))
        (drop (i32.load (local.get $at)))
        (drop (i32.load offset=64 (local.get $at)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $nextRead)))
    (local.set $i (i32.const 0))

    (block $done
      (loop $nextEntry
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (local.set $start (i32.add (local.get $starts) (i32.shl
          (i32.load (i32.add (local.get $entries) (i32.shl (local.get $i) (i32.const 2))))
          (i32.const 2))))
        (local.set $at (i32.load (local.get $start)))
        ;; One past the last position where the string fits.
        (local.set $end (i32.add (i32.const 1) (i32.sub (i32.load offset=4 (local.get $start)) (local.get $length))))

        (block $absent
          ;; Compares 16 positions at once. A hit has the first and the last byte of the string.
          (loop $nextWindow
            (br_if $absent (i32.ge_s (local.get $at) (local.get $end)))
            (local.set $hits (i8x16.bitmask (v128.and
              (i8x16.eq (v128.load align=1 (local.get $at)) (local.get $first))
              (i8x16.eq
                (v128.load align=1 (i32.sub (i32.add (local.get $at) (local.get $length)) (i32.const 1)))
                (local.get $last)))))

            (block $noHit
              (loop $nextHit
                (br_if $noHit (i32.eqz (local.get $hits)))
                (local.set $hit (i32.add (local.get $at) (i32.ctz (local.get $hits))))
                (br_if $absent (i32.ge_s (local.get $hit) (local.get $end)))
                (local.set $hits (i32.and (local.get $hits) (i32.sub (local.get $hits) (i32.const 1))))

                ;; Compares 16 bytes at once. In the last part, ignores the bytes after the end of the string.
                (local.set $k (i32.const 0))
                (loop $nextPart
                  (local.set $differing (i32.xor (i32.const 0xffff) (i8x16.bitmask (i8x16.eq
                    (v128.load align=1 (i32.add (local.get $hit) (local.get $k)))
                    (v128.load align=1 (i32.add (local.get $needle) (local.get $k)))))))
                  (local.set $rest (i32.sub (local.get $length) (local.get $k)))
                  (if (i32.lt_u (local.get $rest) (i32.const 16))
                    (then (local.set $differing (i32.shl
                      (local.get $differing)
                      (i32.sub (i32.const 32) (local.get $rest))))))
                  (br_if $nextHit (local.get $differing))
                  (local.set $k (i32.add (local.get $k) (i32.const 16)))
                  (br_if $nextPart (i32.lt_u (local.get $k) (local.get $length))))

                (i32.store (i32.add (local.get $positions) (i32.shl (local.get $found) (i32.const 2))) (local.get $hit))
                (i32.store
                  (i32.add (local.get $entries) (i32.shl (local.get $found) (i32.const 2)))
                  (i32.load (i32.add (local.get $entries) (i32.shl (local.get $i) (i32.const 2)))))
                (local.set $found (i32.add (local.get $found) (i32.const 1)))
                (br $absent)))

            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br $nextWindow)))

        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $nextEntry)))
    (local.get $found)))
