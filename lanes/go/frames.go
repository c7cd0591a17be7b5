package main

import (
	"bufio"
	"bytes"
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
	length := binary.BigEndian.Uint32(head[:])
	// The buffer grows with the bytes that arrive: the length is merely stated.
	var frame bytes.Buffer
	if _, err := io.CopyN(&frame, in, int64(length)); err != nil {
		return nil, fmt.Errorf("input ends within a frame of %d bytes: %w", length, err)
	}
	return frame.Bytes(), nil
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
