package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// readFrame reads a frame: a length of four bytes, most significant first, and that many bytes.
// It returns io.EOF if the input ends between frames.
func readFrame(in *bufio.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(in, frame); err != nil {
		return nil, fmt.Errorf("input ends within a frame of %d bytes", len(frame))
	}
	return frame, nil
}

func writeFrame(out *bufio.Writer, frame []byte) error {
	var head [4]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(frame)))
	if _, err := out.Write(head[:]); err != nil {
		return err
	}
	_, err := out.Write(frame)
	return err
}
