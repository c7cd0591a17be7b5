{- | MessagePack for Haskell, by the [specification](https://github.com/msgpack/msgpack/blob/master/spec.md)
of 2017-08-09, with all types: integers up to 2^64 - 1, floats of both widths, text, binary, extensions and
timestamps.

Values of a type:

> data Point = Point { x :: Int, y :: Int } deriving (Generic)
> instance ToMessagePack Point
> instance FromMessagePack Point
>
> encode (Point 1 2)      -- 82 a1 78 01 a1 79 02
> decode bytes            -- Right (Point 1 2), or where and why not

'genericToMessagePack' and 'genericFromMessagePack' take 'Options': records as arrays, other names of
fields, fields to leave out. A 'Value' is a value of any type.

The decoder reads a strict 'Data.ByteString.ByteString' in one pass. It limits nesting, and the memory that it
allocates depends on the size of the input and not on lengths in the input. Every error has the offset of the
byte where it was found.
-}
module Manywire.MessagePack
  ( -- * Writing
    encode
  , encodeStrict
  , ToMessagePack (..)
  , Encoding
    -- * Reading
  , decode
  , decodeLazy
  , decodePrefix
  , decodeWith
  , FromMessagePack (..)
  , Decoder
  , Limits (..)
  , defaultLimits
  , DecodeError (..)
  , ErrorKind (..)
    -- * Any value
  , Value (..)
  , Timestamp
  , timestamp
  , timestampSeconds
  , timestampNanoseconds
  , timestampOf
  , utcTime
    -- * Deriving
  , Options (..)
  , Layout (..)
  , defaultOptions
  , genericToMessagePack
  , genericFromMessagePack
  ) where

import Manywire.MessagePack.Class
import Manywire.MessagePack.Decoder
import Manywire.MessagePack.Encoding
import Manywire.MessagePack.Value
