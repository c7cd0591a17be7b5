-- | Writes the types of MessagePack. Every value gets the shortest form that the specification has for it;
-- floats keep their width.
module Manywire.MessagePack.Encoding
  ( Encoding
  , toLazy
  , toStrict
  , written
  , nil
  , bool
  , int
  , word
  , float
  , double
  , text
  , binary
  , arrayHead
  , mapHead
  , extension
  , time
  , value
  ) where

import Data.Bits (shiftL, (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as Strict
import Data.ByteString.Builder (Builder, byteString)
import qualified Data.ByteString.Builder.Extra as Extra
import Data.ByteString.Builder.Prim ((>$<), (>*<))
import qualified Data.ByteString.Builder.Prim as Prim
import qualified Data.ByteString.Lazy as Lazy
import Data.Int (Int64, Int8)
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Text.Encoding (encodeUtf8Builder)
import qualified Data.Vector as Vector
import Data.Word (Word16, Word32, Word64, Word8)
import Manywire.MessagePack.Value

-- | Bytes to write.
type Encoding = Builder

-- | Returns the bytes in chunks.
toLazy :: Encoding -> Lazy.ByteString
toLazy = Extra.toLazyByteStringWith (Extra.untrimmedStrategy firstChunk Extra.smallChunkSize) Lazy.empty
  where
    -- Half of a chunk: small responses do not allocate a whole one.
    firstChunk = 1024

-- | Returns the bytes.
toStrict :: Encoding -> ByteString
toStrict = Lazy.toStrict . toLazy

-- | Writes bytes that were written before, of a name.
written :: ByteString -> Encoding
written = Extra.byteStringCopy
{-# NOINLINE written #-}

nil :: Encoding
nil = Prim.primFixed Prim.word8 0xc0

bool :: Bool -> Encoding
bool content = Prim.primFixed Prim.word8 (if content then 0xc3 else 0xc2)

-- | Writes an integer.
int :: Int64 -> Encoding
int = Prim.primBounded $
  Prim.condB (>= 0) (fromIntegral >$< unsigned) $
    Prim.condB (>= -32) (Prim.liftFixedToBounded (fromIntegral >$< Prim.int8)) $
      Prim.condB (>= -0x80) (headed 0xd0 (fromIntegral >$< Prim.int8)) $
        Prim.condB (>= -0x8000) (headed 0xd1 (fromIntegral >$< Prim.int16BE)) $
          Prim.condB (>= -0x80000000) (headed 0xd2 (fromIntegral >$< Prim.int32BE)) $
            headed 0xd3 Prim.int64BE
{-# INLINE int #-}

-- | Writes an unsigned integer.
word :: Word64 -> Encoding
word = Prim.primBounded unsigned
{-# INLINE word #-}

unsigned :: Prim.BoundedPrim Word64
unsigned =
  Prim.condB (< 0x80) (Prim.liftFixedToBounded (fromIntegral >$< Prim.word8)) $
    Prim.condB (< 0x100) (headed 0xcc (fromIntegral >$< Prim.word8)) $
      Prim.condB (< 0x10000) (headed 0xcd (fromIntegral >$< Prim.word16BE)) $
        Prim.condB (< 0x100000000) (headed 0xce (fromIntegral >$< Prim.word32BE)) $
          headed 0xcf Prim.word64BE
{-# INLINE unsigned #-}

float :: Float -> Encoding
float = Prim.primBounded (headed 0xca Prim.floatBE)

double :: Double -> Encoding
double = Prim.primBounded (headed 0xcb Prim.doubleBE)

text :: Text -> Encoding
text content = Prim.primBounded textHead (size utf8Length) <> encodeUtf8Builder content
  where
    -- Counting first is faster than encoding to bytes of their own, whose length is known.
    utf8Length = Text.foldl' (\count c -> count + width c) 0 content
    width c
      | c < '\x80' = 1
      | c < '\x800' = 2
      | c < '\x10000' = 3
      | otherwise = 4

textHead :: Prim.BoundedPrim Word64
textHead =
  Prim.condB (< 32) (Prim.liftFixedToBounded ((0xa0 .|.) . fromIntegral >$< Prim.word8)) $
    Prim.condB (< 0x100) (headed 0xd9 (fromIntegral >$< Prim.word8)) $
      sized 0xda 0xdb

binary :: ByteString -> Encoding
binary content = Prim.primBounded binaryHead (lengthOf content) <> byteString content
  where
    binaryHead = Prim.condB (< 0x100) (headed 0xc4 (fromIntegral >$< Prim.word8)) (sized 0xc5 0xc6)

-- | Writes the head of an array. As many items must follow.
arrayHead :: Int -> Encoding
arrayHead = container 0x90 0xdc 0xdd

-- | Writes the head of a map. As many pairs of a key and a value must follow.
mapHead :: Int -> Encoding
mapHead = container 0x80 0xde 0xdf

container :: Word8 -> Word8 -> Word8 -> Int -> Encoding
container short medium long count = Prim.primBounded form (size count)
  where
    form =
      Prim.condB (< 16) (Prim.liftFixedToBounded ((short .|.) . fromIntegral >$< Prim.word8)) (sized medium long)
{-# INLINE container #-}

-- | Writes an extension. The type -1 is that of 'time'.
extension :: Int8 -> ByteString -> Encoding
extension kind content = case Strict.length content of
  1 -> short 0xd4
  2 -> short 0xd5
  4 -> short 0xd6
  8 -> short 0xd7
  16 -> short 0xd8
  _ -> Prim.primBounded form (lengthOf content) <> Prim.primFixed Prim.int8 kind <> byteString content
  where
    short first = Prim.primFixed (Prim.word8 >*< Prim.int8) (first, kind) <> byteString content
    form = Prim.condB (< 0x100) (headed 0xc7 (fromIntegral >$< Prim.word8)) (sized 0xc8 0xc9)

-- | Writes a point in time.
time :: Timestamp -> Encoding
time at
  | seconds >= 0 && seconds < 0x100000000 && nanoseconds == 0 =
      Prim.primFixed (Prim.word16BE >*< Prim.word32BE) (0xd6ff, fromIntegral seconds)
  | seconds >= 0 && seconds < 0x400000000 =
      Prim.primFixed
        (Prim.word16BE >*< Prim.word64BE)
        (0xd7ff, fromIntegral nanoseconds `shiftL` 34 .|. fromIntegral seconds)
  | otherwise =
      Prim.primFixed
        ((Prim.word16BE >*< Prim.word8) >*< (Prim.word32BE >*< Prim.int64BE))
        ((0xc70c, 0xff), (nanoseconds, seconds))
  where
    seconds = timestampSeconds at
    nanoseconds = timestampNanoseconds at

-- | Writes a value of any type.
value :: Value -> Encoding
value Nil = nil
value (Bool content) = bool content
value (Int content) = int content
value (Word content) = word content
value (Float content) = float content
value (Double content) = double content
value (Text content) = text content
value (Binary content) = binary content
value (Array items) = arrayHead (Vector.length items) <> foldMap value items
value (Map entries) = mapHead (Vector.length entries) <> foldMap entry entries
  where
    entry (key, content) = value key <> value content
value (Extension kind content) = extension kind content
value (Time at) = time at

-- | Writes a first byte and the bytes of a primitive.
headed :: Word8 -> Prim.FixedPrim a -> Prim.BoundedPrim a
headed first rest = Prim.liftFixedToBounded ((,) first >$< Prim.word8 >*< rest)
{-# INLINE headed #-}

-- | Writes a length as 16 or 32 bits after a first byte.
sized :: Word8 -> Word8 -> Prim.BoundedPrim Word64
sized medium long =
  Prim.condB
    (< 0x10000)
    (headed medium ((fromIntegral :: Word64 -> Word16) >$< Prim.word16BE))
    (headed long ((fromIntegral :: Word64 -> Word32) >$< Prim.word32BE))
{-# INLINE sized #-}

lengthOf :: ByteString -> Word64
lengthOf = size . Strict.length

-- | Checks a length. MessagePack has none from 2^32.
size :: Int -> Word64
size count
  | count < 0x100000000 = fromIntegral count
  | otherwise = error ("MessagePack has no lengths beyond 4294967295, found " <> show count)
