{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

{- | Reads the types of MessagePack from a strict 'ByteString', in one pass.

A 'Decoder' is a function from an offset to an offset and a result, in unboxed form: positions live in
registers, and no parser object or continuation is allocated per value. An error is an exception inside,
so that the path without errors has nothing to check, and a 'Left' outside.

Two limits make any input safe. Nesting is limited by 'Limits'. And a container is allocated only if the
bytes that are left suffice for its items and for the items that the containers around it still expect:
each needs one byte at least. Without the second part, a thousand nested arrays that each claim the whole
rest would allocate a thousand times the input.
-}
module Manywire.MessagePack.Decoder
  ( -- * Running
    Decoder
  , Limits (..)
  , defaultLimits
  , DecodeError (..)
  , ErrorKind (..)
  , decoding
  , prefix
    -- * Reading one type
  , value
  , nil
  , bool
  , integer
  , Whole (..)
  , real
  , Number (..)
  , text
  , binary
  , arrayHead
  , mapHead
  , time
    -- * Composing
  , isNil
  , offset
  , unexpected
  , vector
  , entries
  , record
  , Slot
  , slot
  , Filled
  , unsafeFilled
  , nested
  , reserving
  , Tag (..)
  , tag
  , key
  , expecting
  , skip
  ) where

import Control.Exception (Exception (..), throwIO, try)
import Control.Monad (replicateM_, when)
import qualified Control.Monad.Fail as Fail
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as Bytes
import qualified Data.ByteString.Unsafe as Bytes
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Maybe (isNothing)
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Text.Encoding (decodeUtf8', decodeUtf8With, encodeUtf8)
import Data.Vector (Vector)
import qualified Data.Vector as Vector
import qualified Data.Vector.Mutable as Mutable
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Exts (Any, Int (I#), Int#, RealWorld, State#)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import GHC.IO (IO (IO), unsafeDupablePerformIO)
import qualified Manywire.MessagePack.Encoding as Encoding
import Manywire.MessagePack.Value (Timestamp, Value (..), timestamp)
import Numeric (showHex)
import Unsafe.Coerce (unsafeCoerce)

-- | Reads an @a@.
newtype Decoder a = Decoder (Input -> Int# -> Int# -> State# RealWorld -> (# State# RealWorld, Int#, a #))

-- The first number is the end of the bytes that containers may count on; the second is the offset.

data Input = Input
  { inputBytes :: !ByteString
  , inputLevels :: !Int -- how many more levels of containers may be opened
  }

-- | Limits on what comes from outside.
newtype Limits = Limits
  { levelsMax :: Int -- ^ the maximum number of containers inside each other
  }

-- | 1,024 levels: more than any document for people or programs has, and little stack.
defaultLimits :: Limits
defaultLimits = Limits {levelsMax = 1024}

-- | The error for bytes that cannot be read.
data DecodeError = DecodeError
  { errorKind :: !ErrorKind
  , errorOffset :: !Int -- ^ in bytes, from the start of the input
  , errorReason :: String
  }
  deriving (Eq, Show)

-- | The category of an error. Programs decide by it, never by the text.
data ErrorKind
  = EndOfInput -- ^ The bytes end within the value.
  | InvalidBytes -- ^ The bytes are not valid MessagePack.
  | UnexpectedValue -- ^ The bytes are another value than the type allows.
  | LimitExceeded -- ^ The value exceeds 'Limits'.
  deriving (Eq, Show)

instance Exception DecodeError where
  displayException (DecodeError _ at reason) = reason <> " at byte " <> show at

instance Functor Decoder where
  fmap f (Decoder run) = Decoder $ \input end at s -> case run input end at s of
    (# s', at', a #) -> (# s', at', f a #)
  {-# INLINE fmap #-}

instance Applicative Decoder where
  pure a = Decoder $ \_ _ at s -> (# s, at, a #)
  {-# INLINE pure #-}
  Decoder runF <*> Decoder runA = Decoder $ \input end at s -> case runF input end at s of
    (# s', at', f #) -> case runA input end at' s' of
      (# s'', at'', a #) -> (# s'', at'', f a #)
  {-# INLINE (<*>) #-}

instance Monad Decoder where
  Decoder run >>= next = Decoder $ \input end at s -> case run input end at s of
    (# s', at', a #) -> case next a of Decoder run' -> run' input end at' s'
  {-# INLINE (>>=) #-}

-- | An 'UnexpectedValue' at the current offset.
instance Fail.MonadFail Decoder where
  fail reason = offset >>= \at -> raise UnexpectedValue at reason

-- | Reads one value that is the whole input.
decoding :: Limits -> Decoder a -> ByteString -> Either DecodeError a
decoding limits decoder = fmap fst . prefix limits (decoder <* atEnd)
  where
    atEnd = do
      left <- remaining
      at <- offset
      when (left > 0) $ raise InvalidBytes at ("expected the end, found " <> counted left "more byte")

-- | Reads a value at the start of the input, and returns the rest.
prefix :: Limits -> Decoder a -> ByteString -> Either DecodeError (a, ByteString)
prefix limits (Decoder run) bytes =
  -- Reading has no effect but on memory that it allocates itself, so it may even run twice.
  unsafeDupablePerformIO . try . IO $ \s -> case run (Input bytes (levelsMax limits)) end 0# s of
    (# s', at, a #) -> (# s', (a, Bytes.unsafeDrop (I# at) bytes) #)
  where
    !(I# end) = Bytes.length bytes

-- | Reads a value of any type. It is evaluated to normal form.
value :: Decoder Value
value = do
  at <- offset
  first <- byte
  case first of
    _ | first < 0x80 -> done (Int (fromIntegral first))
    _ | first < 0x90 -> mapOf (fromIntegral (first .&. 0x0f))
    _ | first < 0xa0 -> arrayOf (fromIntegral (first .&. 0x0f))
    _ | first < 0xc0 -> textOf (fromIntegral (first .&. 0x1f))
    _ | first >= 0xe0 -> done (Int (fromIntegral (fromIntegral first :: Int8)))
    0xc0 -> done Nil
    0xc2 -> done (Bool False)
    0xc3 -> done (Bool True)
    0xc4 -> length8 >>= binaryOf
    0xc5 -> length16 >>= binaryOf
    0xc6 -> length32 >>= binaryOf
    0xca -> word32 >>= done . Float . castWord32ToFloat
    0xcb -> word64 >>= done . Double . castWord64ToDouble
    0xd9 -> length8 >>= textOf
    0xda -> length16 >>= textOf
    0xdb -> length32 >>= textOf
    0xdc -> length16 >>= arrayOf
    0xdd -> length32 >>= arrayOf
    0xde -> length16 >>= mapOf
    0xdf -> length32 >>= mapOf
    _ | first >= 0xcc && first <= 0xd3 -> do
      whole <- wholeOf first
      done $ case whole of
        Signed number -> Int number
        Unsigned number -> Word number
    _ -> do
      length' <- extensionLength at first
      (kind, content) <- extensionOf length'
      if kind == -1
        then Time <$> timeOf at content
        else done (Extension kind (Bytes.copy content))
  where
    done !a = pure a
    {-# INLINE done #-}
    textOf count = utf8 count >>= \content -> done (Text content)
    binaryOf count = slice count >>= \content -> done (Binary (Bytes.copy content))
    arrayOf count = Array <$> nested (vector count 1 value)
    mapOf count = Map <$> nested (entries count value value)

nil :: Decoder ()
nil = typed "nil" $ \first -> if first == 0xc0 then Just (pure ()) else Nothing

bool :: Decoder Bool
bool = typed "a boolean" $ \first -> case first of
  0xc2 -> Just (pure False)
  0xc3 -> Just (pure True)
  _ -> Nothing

-- | An integer: an 'Int64' where it fits, and a 'Word64' from 2^63.
data Whole = Signed !Int64 | Unsigned !Word64

-- | Reads an integer of any form.
integer :: Decoder Whole
integer = typed "an integer" $ \first ->
  if isWhole first then Just (wholeOf first) else Nothing
{-# INLINE integer #-}

-- | A number of any type.
data Number = Whole !Whole | Single !Float | Twice !Double

-- | Reads a number of any type: other languages write floats without a fraction as integers.
real :: Decoder Number
real = typed "a number" $ \first -> case first of
  0xca -> Just (Single . castWord32ToFloat <$> word32)
  0xcb -> Just (Twice . castWord64ToDouble <$> word64)
  _ | isWhole first -> Just (Whole <$> wholeOf first)
  _ -> Nothing

text :: Decoder Text
text = typed "text" (fmap (>>= utf8) . textLength)

-- | The name of a constructor: alone, or as the key of a map of one entry, whose value follows.
data Tag = Lone !ByteString | Of !ByteString

-- | Reads the name of a constructor as UTF-8, which it does not validate.
tag :: Decoder Tag
tag = typed "a constructor" $ \first -> case textLength first of
  Just count -> Just (Lone <$> (count >>= slice))
  Nothing | first == 0x81 -> Just (Of <$> typed "the name of a constructor" (fmap (>>= slice) . textLength))
  Nothing -> Nothing

-- | Reads a key: the UTF-8 of a text, which it does not validate, or 'Nothing' for another type.
key :: Decoder (Maybe ByteString)
key = do
  first <- peek
  case textLength first of
    Just count -> Just <$> (byte *> count >>= slice)
    Nothing -> Nothing <$ skip
{-# INLINE key #-}

textLength :: Word8 -> Maybe (Decoder Int)
textLength first = case first of
  _ | first .&. 0xe0 == 0xa0 -> Just (pure (fromIntegral (first .&. 0x1f)))
  0xd9 -> Just length8
  0xda -> Just length16
  0xdb -> Just length32
  _ -> Nothing
{-# INLINE textLength #-}

-- | Reads bytes. They are a copy, which does not keep the input in memory.
binary :: Decoder ByteString
binary = typed "bytes" $ \first -> case first of
  0xc4 -> Just (length8 >>= copy)
  0xc5 -> Just (length16 >>= copy)
  0xc6 -> Just (length32 >>= copy)
  _ -> Nothing
  where
    copy count = Bytes.copy <$> slice count

-- | Reads the head of an array: the number of items.
arrayHead :: Decoder Int
arrayHead = typed "an array" $ \first -> case first of
  _ | first .&. 0xf0 == 0x90 -> Just (pure (fromIntegral (first .&. 0x0f)))
  0xdc -> Just length16
  0xdd -> Just length32
  _ -> Nothing

-- | Reads the head of a map: the number of entries.
mapHead :: Decoder Int
mapHead = typed "a map" $ \first -> case first of
  _ | first .&. 0xf0 == 0x80 -> Just (pure (fromIntegral (first .&. 0x0f)))
  0xde -> Just length16
  0xdf -> Just length32
  _ -> Nothing

-- | Reads a point in time.
time :: Decoder Timestamp
time = do
  at <- offset
  (kind, content) <- typed "a timestamp" $ \first ->
    if isExtension first then Just (extensionLength at first >>= extensionOf) else Nothing
  if kind == -1
    then timeOf at content
    else raise UnexpectedValue at ("expected a timestamp, found an extension of type " <> show kind)

-- | Returns whether the next value is nil, which is read in this case only.
isNil :: Decoder Bool
isNil = do
  first <- peek
  if first == 0xc0 then True <$ byte else pure False

-- | Reads @count@ items, each of at least @bytesMin@ bytes. Items are evaluated.
vector :: Int -> Int -> Decoder a -> Decoder (Vector a)
vector count bytesMin (Decoder run) = expecting count bytesMin *> Decoder items
  where
    items input end at s = case unIO (Mutable.unsafeNew count) s of
      (# s', mutable #) -> fill input end mutable 0 at s'
    fill input end mutable !index at s
      | index == count = case unIO (Vector.unsafeFreeze mutable) s of
          (# s', frozen #) -> (# s', at, frozen #)
      | otherwise =
          let !(I# reserved) = I# end - (count - index - 1) * bytesMin
           in case run input reserved at s of
                (# s', at', !item #) -> case unIO (Mutable.unsafeWrite mutable index item) s' of
                  (# s'', () #) -> fill input end mutable (index + 1) at' s''
{-# INLINE vector #-}

-- | Reads a number of entries. Keys and values are evaluated.
entries :: Int -> Decoder k -> Decoder v -> Decoder (Vector (k, v))
entries count first second = vector count 2 $ do
  !k <- first
  !v <- second
  pure (k, v)
{-# INLINE entries #-}

-- | How a field of a record is read, and its value if it is absent in a map. The type of the field is hidden, so
-- that one loop reads the fields of all types: GHC would take half a second to compile a loop for each field.
data Slot = Slot !(Decoder Any) !(Maybe Any)

slot :: Decoder a -> Maybe a -> Slot
slot decoder absent = Slot (unsafeCoerce decoder) (unsafeCoerce absent)

-- | The values of fields, each of the type of its slot.
newtype Filled = Filled (Vector (Maybe Any))

-- | Returns the value of the slot at an index. The type must be that of the slot, and the index one of a slot.
unsafeFilled :: Filled -> Int -> a
unsafeFilled (Filled values) index = case Vector.unsafeIndex values index of
  Just a -> unsafeCoerce a
  Nothing -> error "a field without a value"
{-# INLINE unsafeFilled #-}

-- | Reads a map into slots, at least one, by their keys. Other entries are dropped, and of a repeated key the
-- last counts.
record :: [(Text, Slot)] -> Decoder Filled
record fields = do
  at <- offset
  found <- mapHead
  filled <- nested $ do
    expecting found 2
    values <- io (Vector.thaw absent)
    entry values found 0
    io (Vector.unsafeFreeze values)
  case Vector.elemIndex True (Vector.map isNothing filled) of
    Just index -> unexpected at ("the field " <> Text.unpack (fst (fields !! index)) <> " is missing")
    Nothing -> pure (Filled filled)
  where
    count = length fields
    names = Vector.fromList (map (encodeUtf8 . fst) fields)
    -- The keys as they usually are in the bytes: in the shortest form.
    keys = Vector.fromList (map (Encoding.toStrict . Encoding.text . fst) fields)
    decoders = Vector.fromList [decoder | (_, Slot decoder _) <- fields]
    absent = Vector.fromList [value' | (_, Slot _ value') <- fields]

    -- Keys usually come in the order of the fields.
    entry :: Mutable.IOVector (Maybe Any) -> Int -> Int -> Decoder ()
    entry _ 0 _ = pure ()
    entry values left expected = do
      isNext <- isPrefix (Vector.unsafeIndex keys expected)
      index <- if isNext then pure expected else maybe count (search expected expected) <$> key
      let after = 2 * (left - 1)
      if index == count
        then reserving after skip *> entry values (left - 1) expected
        else do
          !a <- reserving after (Vector.unsafeIndex decoders index)
          io (Mutable.unsafeWrite values index (Just a))
          entry values (left - 1) (if index + 1 == count then 0 else index + 1)

    -- Returns the index of a name, from an index on and around the end up to where the search began.
    search :: Int -> Int -> ByteString -> Int
    search began index name
      | Vector.unsafeIndex names index == name = index
      | next == began = count
      | otherwise = search began next name
      where
        next = if index + 1 == count then 0 else index + 1

-- | Returns whether the next bytes are these, which are read in this case only.
isPrefix :: ByteString -> Decoder Bool
isPrefix bytes = Decoder $ \input _ at s ->
  let !size = Bytes.length bytes
      !(I# after) = I# at + size
      rest = Bytes.unsafeDrop (I# at) (inputBytes input)
   in if size <= Bytes.length rest && Bytes.unsafeTake size rest == bytes
        then (# s, after, True #)
        else (# s, at, False #)
{-# INLINE isPrefix #-}

-- | Reads the inside of a container, after its head.
nested :: Decoder a -> Decoder a
nested (Decoder run) = Decoder $ \input end at s ->
  let levels = inputLevels input - 1
   in if levels < 0
        then case raise LimitExceeded (I# at) "more levels of nesting than allowed" of
          Decoder failing -> failing input end at s
        else run input {inputLevels = levels} end at s
{-# INLINE nested #-}

-- | Reads a value, and reserves @count@ bytes for the values that follow it in its container.
reserving :: Int -> Decoder a -> Decoder a
reserving count (Decoder run) = Decoder $ \input end at s ->
  let !(I# reserved) = I# end - count in run input reserved at s
{-# INLINE reserving #-}

-- | Reads any value and drops it. Texts are not validated.
skip :: Decoder ()
skip = do
  at <- offset
  first <- byte
  case first of
    _ | first < 0x80 || first >= 0xe0 -> pure ()
    _ | first < 0x90 -> inside 2 (fromIntegral (first .&. 0x0f))
    _ | first < 0xa0 -> inside 1 (fromIntegral (first .&. 0x0f))
    _ | first < 0xc0 -> drop' (fromIntegral (first .&. 0x1f))
    _ | first == 0xc0 || first == 0xc2 || first == 0xc3 -> pure ()
    _ | first == 0xc4 || first == 0xd9 -> length8 >>= drop'
    _ | first == 0xc5 || first == 0xda -> length16 >>= drop'
    _ | first == 0xc6 || first == 0xdb -> length32 >>= drop'
    0xca -> drop' 4
    0xcb -> drop' 8
    0xdc -> length16 >>= inside 1
    0xdd -> length32 >>= inside 1
    0xde -> length16 >>= inside 2
    0xdf -> length32 >>= inside 2
    _ | isWhole first -> () <$ wholeOf first
    _ -> extensionLength at first >>= \length' -> () <$ extensionOf length'
  where
    drop' count = () <$ slice count
    inside each count = nested $ do
      expecting count each
      replicateM_ (count * each) skip

-- | The current offset in bytes.
offset :: Decoder Int
offset = Decoder $ \_ _ at s -> (# s, at, I# at #)
{-# INLINE offset #-}

-- | Fails at an offset, because the value there is not what the type needs.
unexpected :: Int -> String -> Decoder a
unexpected = raise UnexpectedValue

raise :: ErrorKind -> Int -> String -> Decoder a
raise kind at reason = Decoder $ \_ _ now s -> case unIO (throwIO (DecodeError kind at reason)) s of
  (# s', a #) -> (# s', now, a #)
{-# NOINLINE raise #-}

-- | Reads a value by its first byte, or fails with what was expected and what was found.
typed :: String -> (Word8 -> Maybe (Decoder a)) -> Decoder a
typed expected decoder = do
  at <- offset
  first <- byte
  case decoder first of
    Just rest -> rest
    Nothing -> mismatch expected at first
{-# INLINE typed #-}

mismatch :: String -> Int -> Word8 -> Decoder a
mismatch expected at first
  | first == 0xc1 = unknown at
  | otherwise = raise UnexpectedValue at ("expected " <> expected <> ", found " <> named first)
{-# NOINLINE mismatch #-}

unknown :: Int -> Decoder a
unknown at = raise InvalidBytes at "the byte 0xc1, which begins no value"

named :: Word8 -> String
named first
  | isWhole first = "an integer"
  | first < 0x90 || first == 0xde || first == 0xdf = "a map"
  | first < 0xa0 || first == 0xdc || first == 0xdd = "an array"
  | first < 0xc0 || first >= 0xd9 && first <= 0xdb = "text"
  | first == 0xc0 = "nil"
  | first == 0xc2 || first == 0xc3 = "a boolean"
  | first >= 0xc4 && first <= 0xc6 = "bytes"
  | first == 0xca || first == 0xcb = "a float"
  | isExtension first = "an extension"
  | otherwise = "0x" <> showHex first ""

isWhole :: Word8 -> Bool
isWhole first = first < 0x80 || first >= 0xe0 || first >= 0xcc && first <= 0xd3
{-# INLINE isWhole #-}

isExtension :: Word8 -> Bool
isExtension first = first >= 0xd4 && first <= 0xd8 || first >= 0xc7 && first <= 0xc9

-- | Reads the rest of an integer by its first byte.
wholeOf :: Word8 -> Decoder Whole
wholeOf first = case first of
  0xcc -> Signed . fromIntegral <$> byte
  0xcd -> Signed . fromIntegral <$> word16
  0xce -> Signed . fromIntegral <$> word32
  0xcf -> word64 >>= \number ->
    pure $! if number < 0x8000000000000000 then Signed (fromIntegral number) else Unsigned number
  0xd0 -> (\number -> Signed (fromIntegral (fromIntegral number :: Int8))) <$> byte
  0xd1 -> (\number -> Signed (fromIntegral (fromIntegral number :: Int16))) <$> word16
  0xd2 -> (\number -> Signed (fromIntegral (fromIntegral number :: Int32))) <$> word32
  0xd3 -> Signed . fromIntegral <$> word64
  _ -> pure $! Signed (fromIntegral (fromIntegral first :: Int8))
{-# INLINE wholeOf #-}

extensionLength :: Int -> Word8 -> Decoder Int
extensionLength at first = case first of
  0xc7 -> length8
  0xc8 -> length16
  0xc9 -> length32
  0xd4 -> pure 1
  0xd5 -> pure 2
  0xd6 -> pure 4
  0xd7 -> pure 8
  0xd8 -> pure 16
  _ -> unknown at

-- | Reads the type and the content of an extension. The content is a part of the input.
extensionOf :: Int -> Decoder (Int8, ByteString)
extensionOf count = do
  kind <- byte
  content <- slice count
  pure (fromIntegral kind, content)

-- | Reads a point in time, whose extension begins at an offset, from its content.
timeOf :: Int -> ByteString -> Decoder Timestamp
timeOf at content = case Bytes.length content of
  4 -> instant (fromIntegral (bigEndian 0 4)) 0
  8 -> instant (fromIntegral (bigEndian 0 8 .&. 0x3ffffffff)) (bigEndian 0 8 `shiftR` 34)
  12 -> instant (fromIntegral (bigEndian 4 8)) (bigEndian 0 4)
  other -> raise InvalidBytes at ("expected a timestamp of 4, 8 or 12 bytes, found " <> show other)
  where
    bigEndian from count = Bytes.foldl' shifted 0 (Bytes.take count (Bytes.drop from content))
    shifted :: Word64 -> Word8 -> Word64
    shifted number next = number `shiftL` 8 .|. fromIntegral next
    instant :: Int64 -> Word64 -> Decoder Timestamp
    instant seconds nanoseconds = case timestamp seconds (fromIntegral nanoseconds) of
      Just !a -> pure a
      Nothing -> raise InvalidBytes at ("a timestamp with " <> show nanoseconds <> " nanoseconds")

-- | Reads text of a length in bytes.
utf8 :: Int -> Decoder Text
utf8 count = do
  at <- offset
  content <- slice count
  case decodeUtf8' content of
    Right !a -> pure a
    Left _ -> raise InvalidBytes (at + invalidAt content) "invalid UTF-8"

-- | Returns the offset of the first byte that is not UTF-8. Each such byte becomes NUL, which it is not.
invalidAt :: ByteString -> Int
invalidAt content = length (takeWhile id (Bytes.zipWith (==) content replaced))
  where
    replaced = encodeUtf8 (decodeUtf8With (\_ _ -> Just '\0') content)

-- | Checks that enough bytes are left for the items of a container.
expecting :: Int -> Int -> Decoder ()
expecting count each = Decoder $ \input end at s ->
  if count <= (I# end - I# at) `quot` each || count == 0
    then (# s, at, () #)
    else case raise EndOfInput (I# at) (counted count "item" <> " in too few bytes") of
      Decoder failing -> failing input end at s
{-# INLINE expecting #-}

remaining :: Decoder Int
remaining = Decoder $ \input _ at s -> (# s, at, Bytes.length (inputBytes input) - I# at #)
{-# INLINE remaining #-}

-- | Checks that at least @count@ bytes are left.
need :: Int -> Decoder ()
need count = Decoder $ \input end at s ->
  let left = Bytes.length (inputBytes input) - I# at
   in if count <= left
        then (# s, at, () #)
        else case ended count left (I# at) of Decoder failing -> failing input end at s
{-# INLINE need #-}

ended :: Int -> Int -> Int -> Decoder a
ended count left at =
  raise EndOfInput at ("expected " <> counted count "byte" <> ", found " <> show left)
{-# NOINLINE ended #-}

-- | Returns a part of the input.
slice :: Int -> Decoder ByteString
slice count = need count *> Decoder (\input _ at s ->
  let !(I# after) = I# at + count
      !part = Bytes.unsafeTake count (Bytes.unsafeDrop (I# at) (inputBytes input))
   in (# s, after, part #))
{-# INLINE slice #-}

peek :: Decoder Word8
peek = need 1 *> Decoder (\input _ at s ->
  let !first = Bytes.unsafeIndex (inputBytes input) (I# at) in (# s, at, first #))
{-# INLINE peek #-}

byte :: Decoder Word8
byte = need 1 *> Decoder (\input _ at s ->
  let !first = Bytes.unsafeIndex (inputBytes input) (I# at)
      !(I# after) = I# at + 1
   in (# s, after, first #))
{-# INLINE byte #-}

-- | Reads bytes as a number, the most significant first.
bigEndian16, bigEndian32, bigEndian64 :: ByteString -> Word64
bigEndian16 bytes = at 0 `shiftL` 8 .|. at 1
  where
    at = fromIntegral . Bytes.unsafeIndex bytes
bigEndian32 bytes = bigEndian16 bytes `shiftL` 16 .|. bigEndian16 (Bytes.unsafeDrop 2 bytes)
bigEndian64 bytes = bigEndian32 bytes `shiftL` 32 .|. bigEndian32 (Bytes.unsafeDrop 4 bytes)
{-# INLINE bigEndian16 #-}
{-# INLINE bigEndian32 #-}
{-# INLINE bigEndian64 #-}

word16 :: Decoder Word16
word16 = slice 2 >>= \bytes -> pure $! fromIntegral (bigEndian16 bytes)
{-# INLINE word16 #-}

word32 :: Decoder Word32
word32 = slice 4 >>= \bytes -> pure $! fromIntegral (bigEndian32 bytes)
{-# INLINE word32 #-}

word64 :: Decoder Word64
word64 = slice 8 >>= \bytes -> pure $! bigEndian64 bytes
{-# INLINE word64 #-}

length8, length16, length32 :: Decoder Int
length8 = byte >>= \count -> pure $! fromIntegral count
length16 = word16 >>= \count -> pure $! fromIntegral count
length32 = word32 >>= \count -> pure $! fromIntegral count
{-# INLINE length8 #-}
{-# INLINE length16 #-}
{-# INLINE length32 #-}

counted :: Int -> String -> String
counted 1 thing = "1 " <> thing
counted count thing = show count <> " " <> thing <> "s"

io :: IO a -> Decoder a
io act = Decoder $ \_ _ at s -> case unIO act s of (# s', a #) -> (# s', at, a #)
{-# INLINE io #-}

unIO :: IO a -> State# RealWorld -> (# State# RealWorld, a #)
unIO (IO run) = run
{-# INLINE unIO #-}
