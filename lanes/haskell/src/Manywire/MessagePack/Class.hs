{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE TypeOperators #-}

{- | Types that are written to MessagePack and read from it, and their derivation by "GHC.Generics".

The derived form is that of serde, so that Rust programs read it:

* A record is a map of its fields by name, or with 'AsArray' an array of its fields. In a map, fields may
  have any order, other entries are ignored, and of a repeated key the last counts.
* A constructor with one field that has no name is the field, one with several an array of them.
* In a type of several constructors, a constructor without fields is its name; any other is a map of one
  entry, from its name to its content.

The names of a type are computed once and not for each value. The code that runs for each value is inlined into
the instance, which takes the compiler time. For that reason, one loop reads the fields of a map for all types.
-}
module Manywire.MessagePack.Class
  ( ToMessagePack (..)
  , FromMessagePack (..)
  , encode
  , encodeStrict
  , decode
  , decodeLazy
  , decodePrefix
  , decodeWith
  , Options (..)
  , Layout (..)
  , defaultOptions
  , genericToMessagePack
  , genericFromMessagePack
  ) where

import Control.Monad (when)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as Lazy
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Map.Strict (Map)
import qualified Data.Map.Strict as Map
import Data.Maybe (isNothing)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Text.Encoding (encodeUtf8)
import Data.Time (UTCTime)
import Data.Vector (Vector)
import qualified Data.Vector as Vector
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Float (double2Float, float2Double)
import GHC.Generics
import Manywire.MessagePack.Decoder (DecodeError, Decoder, Limits, defaultLimits)
import qualified Manywire.MessagePack.Decoder as Read
import Manywire.MessagePack.Encoding (Encoding)
import qualified Manywire.MessagePack.Encoding as Write
import Manywire.MessagePack.Value

-- | A type that can be written.
class ToMessagePack a where
  toMessagePack :: a -> Encoding
  default toMessagePack :: (Generic a, GEncode (Rep a)) => a -> Encoding
  toMessagePack = genericToMessagePack defaultOptions

  -- | Whether a value may be left out as a field of a map, if the type has such values.
  absence :: Maybe (a -> Bool)
  absence = Nothing

-- | A type that can be read.
class FromMessagePack a where
  fromMessagePack :: Decoder a
  default fromMessagePack :: (Generic a, GDecode (Rep a)) => Decoder a
  fromMessagePack = genericFromMessagePack defaultOptions

  -- | The value of a field that is absent in a map, if the type has one.
  whenAbsent :: Maybe a
  whenAbsent = Nothing

-- | Returns a value as bytes.
encode :: ToMessagePack a => a -> Lazy.ByteString
encode = Write.toLazy . toMessagePack

-- | Returns a value as bytes in one piece.
encodeStrict :: ToMessagePack a => a -> ByteString
encodeStrict = Write.toStrict . toMessagePack

-- | Reads a value that is the whole input.
decode :: FromMessagePack a => ByteString -> Either DecodeError a
decode = decodeWith defaultLimits

-- | Reads a value that is the whole input. Chunks are joined first.
decodeLazy :: FromMessagePack a => Lazy.ByteString -> Either DecodeError a
decodeLazy = decode . Lazy.toStrict

-- | Reads a value at the start of the input, and returns the rest: for values one after the other.
decodePrefix :: FromMessagePack a => ByteString -> Either DecodeError (a, ByteString)
decodePrefix = Read.prefix defaultLimits fromMessagePack

-- | Reads a value that is the whole input, with limits.
decodeWith :: FromMessagePack a => Limits -> ByteString -> Either DecodeError a
decodeWith limits = Read.decoding limits fromMessagePack

instance ToMessagePack Value where toMessagePack = Write.value
instance FromMessagePack Value where fromMessagePack = Read.value

instance ToMessagePack () where toMessagePack () = Write.nil
instance FromMessagePack () where fromMessagePack = Read.nil

instance ToMessagePack Bool where toMessagePack = Write.bool
instance FromMessagePack Bool where fromMessagePack = Read.bool

instance ToMessagePack Int where toMessagePack = Write.int . fromIntegral
instance ToMessagePack Int8 where toMessagePack = Write.int . fromIntegral
instance ToMessagePack Int16 where toMessagePack = Write.int . fromIntegral
instance ToMessagePack Int32 where toMessagePack = Write.int . fromIntegral
instance ToMessagePack Int64 where toMessagePack = Write.int
instance ToMessagePack Word where toMessagePack = Write.word . fromIntegral
instance ToMessagePack Word8 where toMessagePack = Write.word . fromIntegral
instance ToMessagePack Word16 where toMessagePack = Write.word . fromIntegral
instance ToMessagePack Word32 where toMessagePack = Write.word . fromIntegral
instance ToMessagePack Word64 where toMessagePack = Write.word

instance FromMessagePack Int where fromMessagePack = bounded
instance FromMessagePack Int8 where fromMessagePack = bounded
instance FromMessagePack Int16 where fromMessagePack = bounded
instance FromMessagePack Int32 where fromMessagePack = bounded
instance FromMessagePack Int64 where fromMessagePack = bounded
instance FromMessagePack Word where fromMessagePack = bounded
instance FromMessagePack Word8 where fromMessagePack = bounded
instance FromMessagePack Word16 where fromMessagePack = bounded
instance FromMessagePack Word32 where fromMessagePack = bounded
instance FromMessagePack Word64 where fromMessagePack = bounded

-- | Reads an integer that the type can represent.
bounded :: forall a. (Bounded a, Integral a) => Decoder a
bounded = do
  at <- Read.offset
  whole <- Read.integer
  case whole of
    Read.Signed number -> converted at number
    Read.Unsigned number -> converted at number
  where
    converted :: Integral b => Int -> b -> Decoder a
    converted at number
      -- 2^64 - 1 as a Word64 and -1 as an Int64 are converted to each other.
      | fromIntegral exact == number && (exact < 0) == (number < 0) = pure exact
      | otherwise = outside at (toInteger number)
      where
        exact = fromIntegral number :: a
    outside at number =
      Read.unexpected at $
        "expected an integer from " <> show (toInteger (minBound :: a)) <> " to "
          <> show (toInteger (maxBound :: a))
          <> (", found " <> show number)
{-# INLINE bounded #-}

instance ToMessagePack Float where toMessagePack = Write.float
instance ToMessagePack Double where toMessagePack = Write.double

-- | Numbers of other types are accepted if they are exact as a 'Float'.
instance FromMessagePack Float where
  fromMessagePack = floating id $ \double ->
    let single = double2Float double
     in if isNaN double || float2Double single == double then Just single else Nothing

-- | Numbers of other types are accepted if they are exact as a 'Double'.
instance FromMessagePack Double where
  fromMessagePack = floating float2Double Just

floating :: RealFloat a => (Float -> a) -> (Double -> Maybe a) -> Decoder a
floating fromSingle fromTwice = do
  at <- Read.offset
  number <- Read.real
  let inexact shown = Read.unexpected at ("expected a number that is exact as a float, found " <> shown)
      fromWhole whole
        | truncate exact == whole = pure exact
        | otherwise = inexact (show whole)
        where
          exact = fromInteger whole
  case number of
    Read.Single single -> pure $! fromSingle single
    Read.Twice double -> maybe (inexact (show double)) pure (fromTwice double)
    Read.Whole (Read.Signed whole) -> fromWhole (toInteger whole)
    Read.Whole (Read.Unsigned whole) -> fromWhole (toInteger whole)
{-# INLINE floating #-}

instance ToMessagePack Text where toMessagePack = Write.text
instance FromMessagePack Text where fromMessagePack = Read.text

instance ToMessagePack ByteString where toMessagePack = Write.binary
instance FromMessagePack ByteString where fromMessagePack = Read.binary

instance ToMessagePack Timestamp where toMessagePack = Write.time
instance FromMessagePack Timestamp where fromMessagePack = Read.time

-- | Rounded down to nanoseconds.
instance ToMessagePack UTCTime where
  toMessagePack at = maybe (error ("MessagePack has no points in time beyond 64 bits, found " <> show at)) Write.time (timestampOf at)

instance FromMessagePack UTCTime where fromMessagePack = utcTime <$> Read.time

instance ToMessagePack a => ToMessagePack (Maybe a) where
  toMessagePack = maybe Write.nil toMessagePack
  absence = Just isNothing

instance FromMessagePack a => FromMessagePack (Maybe a) where
  fromMessagePack = do
    absent <- Read.isNil
    if absent then pure Nothing else Just <$> fromMessagePack
  whenAbsent = Just Nothing

instance ToMessagePack a => ToMessagePack (Vector a) where
  toMessagePack items = Write.arrayHead (Vector.length items) <> foldMap toMessagePack items

instance FromMessagePack a => FromMessagePack (Vector a) where
  fromMessagePack = do
    count <- Read.arrayHead
    Read.nested (Read.vector count 1 fromMessagePack)

instance ToMessagePack a => ToMessagePack [a] where
  toMessagePack items = Write.arrayHead (length items) <> foldMap toMessagePack items

instance FromMessagePack a => FromMessagePack [a] where
  fromMessagePack = Vector.toList <$> fromMessagePack

instance (ToMessagePack k, ToMessagePack v) => ToMessagePack (Map k v) where
  toMessagePack entries = Write.mapHead (Map.size entries) <> Map.foldMapWithKey entry entries
    where
      entry key item = toMessagePack key <> toMessagePack item

-- | Of a repeated key, the last counts.
instance (Ord k, FromMessagePack k, FromMessagePack v) => FromMessagePack (Map k v) where
  fromMessagePack = do
    count <- Read.mapHead
    Map.fromList . Vector.toList <$> Read.nested (Read.entries count fromMessagePack fromMessagePack)

instance (ToMessagePack a, ToMessagePack b) => ToMessagePack (a, b)
instance (FromMessagePack a, FromMessagePack b) => FromMessagePack (a, b)
instance (ToMessagePack a, ToMessagePack b, ToMessagePack c) => ToMessagePack (a, b, c)
instance (FromMessagePack a, FromMessagePack b, FromMessagePack c) => FromMessagePack (a, b, c)

-- | How a type is derived. Options that aeson has, too, have the same names.
data Options = Options
  { recordLayout :: Layout
  , fieldLabelModifier :: String -> String -- ^ from the name of a field in Haskell
  , constructorTagModifier :: String -> String -- ^ from the name of a constructor in Haskell
  , omitNothing :: String -> Bool
    -- ^ by the name of a field in Haskell: whether it is left out of a map if it is 'Nothing'
  }

-- | How a record is written.
data Layout
  = AsMap -- ^ a map of its fields by name
  | AsArray -- ^ an array of its fields in their order
  deriving (Eq, Show)

-- | Records as maps with all fields, and the names of Haskell.
defaultOptions :: Options
defaultOptions =
  Options {recordLayout = AsMap, fieldLabelModifier = id, constructorTagModifier = id, omitNothing = const False}

-- | 'toMessagePack' for a type with a 'Generic' instance. Without its argument it is computed once.
genericToMessagePack :: (Generic a, GEncode (Rep a)) => Options -> a -> Encoding
genericToMessagePack options = let write = gEncode options in \a -> write (from a)
{-# INLINE genericToMessagePack #-}

-- | 'fromMessagePack' for a type with a 'Generic' instance.
genericFromMessagePack :: (Generic a, GDecode (Rep a)) => Options -> Decoder a
genericFromMessagePack options = to <$> gDecode options
{-# INLINE genericFromMessagePack #-}

-- | Data types: of one constructor, or of several.
class GEncode f where
  gEncode :: Options -> f p -> Encoding

class GDecode f where
  gDecode :: Options -> Decoder (f p)

instance (Constructor c, GWrite f) => GEncode (D1 d (C1 c f)) where
  gEncode options = let write = writeContent options in \(M1 constructor) -> write constructor
  {-# INLINE gEncode #-}

instance (Constructor c, GRead f) => GDecode (D1 d (C1 c f)) where
  gDecode options = M1 <$> readContent options
  {-# INLINE gDecode #-}

instance (GWriteSum f, GWriteSum g) => GEncode (D1 d (f :+: g)) where
  gEncode options = let write = gWriteSum options in \(M1 constructor) -> write constructor

instance (GReadSum f, GReadSum g) => GDecode (D1 d (f :+: g)) where
  gDecode options = do
    at <- Read.offset
    tag <- Read.tag
    case tag of
      Read.Lone tag' -> find at tag' $ \alternative -> case alternative of
        Name constructor -> pure constructor
        Content _ -> Read.unexpected at "expected a map of the constructor to its content, found its name"
      Read.Of tag' -> find at tag' $ \alternative -> case alternative of
        Name constructor -> constructor <$ Read.nil
        Content decoder -> Read.nested decoder
    where
      known = gReadSum options
      find at tag' next = case lookup tag' known of
        Just alternative -> M1 <$> next alternative
        Nothing -> Read.unexpected at ("unknown constructor " <> show tag' <> ", expected one of " <> show (map fst known))

-- | Returns the bytes of a name.
name :: (String -> String) -> String -> ByteString
name modifier = Write.toStrict . Write.text . Text.pack . modifier
{-# NOINLINE name #-}

-- | Several constructors.
class GWriteSum f where
  gWriteSum :: Options -> f p -> Encoding

instance (GWriteSum f, GWriteSum g) => GWriteSum (f :+: g) where
  gWriteSum options =
    let left = gWriteSum options
        right = gWriteSum options
     in \sum' -> case sum' of
          L1 a -> left a
          R1 a -> right a

instance (Constructor c, GWrite f) => GWriteSum (C1 c f) where
  gWriteSum options
    | fieldCount (Proxy :: Proxy f) == 0 = const (Write.written tag)
    | otherwise = \constructor -> Write.written entry <> write constructor
    where
      !tag = name (constructorTagModifier options) (conName (undefined :: C1 c f ()))
      !entry = Write.toStrict (Write.mapHead 1) <> tag
      write = writeContent options

-- | How a constructor is read: by its name alone, or from its content.
data Alternative a = Name a | Content (Decoder a)

instance Functor Alternative where
  fmap f (Name a) = Name (f a)
  fmap f (Content decoder) = Content (f <$> decoder)

class GReadSum f where
  gReadSum :: Options -> [(ByteString, Alternative (f p))]

instance (GReadSum f, GReadSum g) => GReadSum (f :+: g) where
  gReadSum options = map (fmap (fmap L1)) (gReadSum options) <> map (fmap (fmap R1)) (gReadSum options)

instance (Constructor c, GRead f) => GReadSum (C1 c f) where
  gReadSum options = [(encodeUtf8 (Text.pack tag), alternative)]
    where
      tag = constructorTagModifier options (conName (undefined :: C1 c f ()))
      alternative = case gNothing of
        Just fields -> Name (M1 fields)
        Nothing -> Content (readContent options)

-- | Writes the fields of a constructor.
writeContent :: forall c f p. (Constructor c, GWrite f) => Options -> C1 c f p -> Encoding
writeContent options
  | count == 1 && not isRecord = \(M1 fields) -> write fields
  | count == 0 = const Write.nil
  | layout == AsMap, Just absent <- gAbsent options = \(M1 fields) -> head' (count - absent fields) <> write fields
  | otherwise = \(M1 fields) -> Write.written start <> write fields
  where
    count = fieldCount (Proxy :: Proxy f)
    isRecord = conIsRecord (undefined :: C1 c f ())
    layout = if isRecord then recordLayout options else AsArray
    !start = Write.toStrict $ case layout of
      AsMap -> Write.mapHead count
      AsArray -> Write.arrayHead count
    write = gWrite options layout
{-# INLINE writeContent #-}

head' :: Int -> Encoding
head' = Write.mapHead
{-# NOINLINE head' #-}

-- | Reads the fields of a constructor.
readContent :: forall c f p. (Constructor c, GRead f) => Options -> Decoder (C1 c f p)
readContent options
  | count == 0, Just none <- gNothing = M1 none <$ Read.nil
  | isRecord && recordLayout options == AsMap = M1 . gFields 0 <$> slots options (gNames (Proxy :: Proxy f)) (gSlots (Proxy :: Proxy f))
  | count == 1 && not isRecord = M1 <$> gPositions 0
  | otherwise = M1 <$> fromArray
  where
    count = gCount (Proxy :: Proxy f)
    isRecord = conIsRecord (undefined :: C1 c f ())

    fromArray = do
      at <- Read.offset
      found <- Read.arrayHead
      when (found /= count) $
        Read.unexpected at ("expected an array of " <> show count <> " items, found " <> show found)
      Read.nested (gPositions 0)
{-# INLINE readContent #-}

slots :: Options -> [String] -> [Read.Slot] -> Decoder Read.Filled
slots options names = Read.record . zip (map (Text.pack . fieldLabelModifier options) names)
{-# NOINLINE slots #-}

-- | The fields of a constructor, as they are written.
class GWrite f where
  fieldCount :: Proxy f -> Int
  gWrite :: Options -> Layout -> f p -> Encoding

  -- | Counts the fields that are left out of a map, if some can be.
  gAbsent :: Options -> Maybe (f p -> Int)

instance GWrite U1 where
  fieldCount _ = 0
  gWrite _ _ _ = mempty
  gAbsent _ = Nothing

instance (GWrite f, GWrite g) => GWrite (f :*: g) where
  fieldCount _ = fieldCount (Proxy :: Proxy f) + fieldCount (Proxy :: Proxy g)
  {-# INLINE fieldCount #-}
  gWrite options layout =
    let left = gWrite options layout
        right = gWrite options layout
     in \(f :*: g) -> left f <> right g
  {-# INLINE gWrite #-}
  gAbsent options = case (gAbsent options, gAbsent options) of
    (Nothing, Nothing) -> Nothing
    (left, right) -> Just (\(f :*: g) -> maybe 0 ($ f) left + maybe 0 ($ g) right)
  {-# INLINE gAbsent #-}

instance (Selector s, ToMessagePack a) => GWrite (S1 s (K1 i a)) where
  fieldCount _ = 1
  {-# INLINE fieldCount #-}
  gWrite options layout = case layout of
    AsMap | Just isAbsent <- omitted -> \(M1 (K1 a)) -> if isAbsent a then mempty else entry a
    AsMap -> \(M1 (K1 a)) -> entry a
    AsArray -> \(M1 (K1 a)) -> toMessagePack a
    where
      entry a = Write.written key <> toMessagePack a
      key = name (fieldLabelModifier options) (selName (undefined :: S1 s (K1 i a) ()))
      omitted = omission (undefined :: S1 s (K1 i a) ()) options
  {-# INLINE gWrite #-}
  gAbsent options = (\isAbsent (M1 (K1 a)) -> fromEnum (isAbsent a)) <$> omission (undefined :: S1 s (K1 i a) ()) options
  {-# INLINE gAbsent #-}

-- | Whether a value of a field is left out of a map, if some are.
omission :: (Selector s, ToMessagePack a) => S1 s (K1 i a) p -> Options -> Maybe (a -> Bool)
omission field options
  | omitNothing options (selName field) = absence
  | otherwise = Nothing
{-# INLINE omission #-}

-- | The fields of a constructor, as they are read: from an array by their position, or from the slots of a map.
class GRead f where
  gCount :: Proxy f -> Int
  gNames :: Proxy f -> [String]
  gNothing :: Maybe (f p)
  gPositions :: Int -> Decoder (f p)
  gSlots :: Proxy f -> [Read.Slot]

  -- | Returns the fields from slots, of which theirs begin at an index.
  gFields :: Int -> Read.Filled -> f p

instance GRead U1 where
  gCount _ = 0
  gNames _ = []
  gNothing = Just U1
  gPositions _ = pure U1
  gSlots _ = []
  gFields _ _ = U1

instance (GRead f, GRead g) => GRead (f :*: g) where
  gCount _ = gCount (Proxy :: Proxy f) + gCount (Proxy :: Proxy g)
  {-# INLINE gCount #-}
  gNames _ = gNames (Proxy :: Proxy f) <> gNames (Proxy :: Proxy g)
  gNothing = Nothing
  gPositions following =
    (:*:)
      <$> gPositions (following + gCount (Proxy :: Proxy g))
      <*> gPositions following
  {-# INLINE gPositions #-}
  gSlots _ = gSlots (Proxy :: Proxy f) <> gSlots (Proxy :: Proxy g)
  gFields index filled = gFields index filled :*: gFields (index + gCount (Proxy :: Proxy f)) filled
  {-# INLINE gFields #-}

instance (Selector s, FromMessagePack a) => GRead (S1 s (K1 i a)) where
  gCount _ = 1
  {-# INLINE gCount #-}
  gNames _ = [selName (undefined :: S1 s (K1 i a) ())]
  gNothing = Nothing
  gPositions following = M1 . K1 <$> Read.reserving following fromMessagePack
  {-# INLINE gPositions #-}
  gSlots _ = [Read.slot (fromMessagePack :: Decoder a) whenAbsent]
  -- The slot at this index is the one of this field.
  gFields index filled = M1 (K1 (Read.unsafeFilled filled index))
  {-# INLINE gFields #-}
