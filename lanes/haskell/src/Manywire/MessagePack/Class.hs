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

What the derivation needs of a type, names above all, is computed once and not for each value.
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
import Data.ByteString.Builder (byteString)
import qualified Data.ByteString.Lazy as Lazy
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Map.Strict (Map)
import qualified Data.Map.Strict as Map
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Text.Encoding (encodeUtf8)
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

instance ToMessagePack a => ToMessagePack (Maybe a) where
  toMessagePack = maybe Write.nil toMessagePack

instance FromMessagePack a => FromMessagePack (Maybe a) where
  fromMessagePack = do
    absent <- Read.isNil
    if absent then pure Nothing else Just <$> fromMessagePack
  whenAbsent = Just Nothing

instance ToMessagePack a => ToMessagePack (Vector a) where
  toMessagePack items = Write.arrayHead (Vector.length items) <> foldMap toMessagePack items

instance FromMessagePack a => FromMessagePack (Vector a) where
  fromMessagePack = do
    at <- Read.offset
    count <- Read.arrayHead
    Read.nested at (Read.vector count 1 fromMessagePack)

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
    at <- Read.offset
    count <- Read.mapHead
    Map.fromList . Vector.toList <$> Read.nested at (Read.entries count fromMessagePack fromMessagePack)

instance (ToMessagePack a, ToMessagePack b) => ToMessagePack (a, b)
instance (FromMessagePack a, FromMessagePack b) => FromMessagePack (a, b)
instance (ToMessagePack a, ToMessagePack b, ToMessagePack c) => ToMessagePack (a, b, c)
instance (FromMessagePack a, FromMessagePack b, FromMessagePack c) => FromMessagePack (a, b, c)

-- | How a type is derived.
data Options = Options
  { recordLayout :: Layout
  , fieldName :: String -> String -- ^ from the name of a field in Haskell
  , constructorName :: String -> String -- ^ from the name of a constructor in Haskell
  }

-- | How a record is written.
data Layout
  = AsMap -- ^ a map of its fields by name
  | AsArray -- ^ an array of its fields in their order
  deriving (Eq, Show)

-- | Records as maps, and the names of Haskell.
defaultOptions :: Options
defaultOptions = Options {recordLayout = AsMap, fieldName = id, constructorName = id}

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

instance (Constructor c, GRead f) => GDecode (D1 d (C1 c f)) where
  gDecode options = M1 <$> readContent options

instance (GWriteSum f, GWriteSum g) => GEncode (D1 d (f :+: g)) where
  gEncode options = let write = gWriteSum options in \(M1 constructor) -> write constructor

instance (GReadSum f, GReadSum g) => GDecode (D1 d (f :+: g)) where
  gDecode options = do
    at <- Read.offset
    tag <- Read.tag
    case tag of
      Read.Lone name -> find at name $ \alternative -> case alternative of
        Name constructor -> pure constructor
        Content _ -> Read.unexpected at "expected a map of the constructor to its content, found its name"
      Read.Of name -> find at name $ \alternative -> case alternative of
        Name constructor -> constructor <$ Read.nil
        Content decoder -> Read.nested at decoder
    where
      known = gReadSum options
      find at name next = case lookup name known of
        Just alternative -> M1 <$> next alternative
        Nothing -> Read.unexpected at ("unknown constructor " <> show name <> ", expected one of " <> show (map fst known))

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
    | fieldCount (Proxy :: Proxy f) == 0 = const (byteString name)
    | otherwise = \constructor -> byteString entry <> write constructor
    where
      !name = Write.toStrict (Write.text (Text.pack (constructorName options (conName (undefined :: C1 c f ())))))
      !entry = Write.toStrict (Write.mapHead 1) <> name
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
  gReadSum options = [(encodeUtf8 (Text.pack name), alternative)]
    where
      name = constructorName options (conName (undefined :: C1 c f ()))
      alternative = case gNothing of
        Just fields -> Name (M1 fields)
        Nothing -> Content (readContent options)

-- | Writes the fields of a constructor.
writeContent :: forall c f p. (Constructor c, GWrite f) => Options -> C1 c f p -> Encoding
writeContent options
  | count == 1 && not isRecord = \(M1 fields) -> write fields
  | count == 0 = const Write.nil
  | otherwise = \(M1 fields) -> byteString start <> write fields
  where
    count = fieldCount (Proxy :: Proxy f)
    isRecord = conIsRecord (undefined :: C1 c f ())
    layout = if isRecord then recordLayout options else AsArray
    !start = Write.toStrict $ case layout of
      AsMap -> Write.mapHead count
      AsArray -> Write.arrayHead count
    write = gWrite options layout

-- | Reads the fields of a constructor.
readContent :: forall c f p. (Constructor c, GRead f) => Options -> Decoder (C1 c f p)
readContent options
  | count == 0, Just none <- gNothing = M1 none <$ Read.nil
  | isRecord && recordLayout options == AsMap = M1 <$> fromMap
  | count == 1 && not isRecord = M1 <$> gPositions 0
  | otherwise = M1 <$> fromArray
  where
    names = map (encodeUtf8 . Text.pack . fieldName options) (gNames (Proxy :: Proxy f))
    count = gCount (Proxy :: Proxy f)
    isRecord = conIsRecord (undefined :: C1 c f ())
    numbered = zip names [0 ..]

    fromArray = do
      at <- Read.offset
      found <- Read.arrayHead
      when (found /= count) $
        Read.unexpected at ("expected an array of " <> show count <> " items, found " <> show found)
      Read.nested at (gPositions 0)

    fromMap = do
      at <- Read.offset
      found <- Read.mapHead
      slots <- Read.nested at (Read.expecting found 2 *> fields found numbered gEmpty)
      case gFinish (gNames (Proxy :: Proxy f)) slots of
        Right complete -> pure complete
        Left missing -> Read.unexpected at ("the field " <> fieldName options missing <> " is missing")

    -- The fields usually come in their order: the next is compared first.
    fields :: Int -> [(ByteString, Int)] -> Slots f -> Decoder (Slots f)
    fields 0 _ slots = pure slots
    fields left next slots = do
      key <- Read.key
      case key of
        Just name
          | (expected, index) : rest <- next, expected == name -> into index rest
          | Just index <- lookup name numbered -> into index (drop (index + 1) numbered)
        _ -> Read.reserving after Read.skip *> fields (left - 1) next slots
      where
        after = 2 * (left - 1)
        into index rest = do
          filled <- Read.reserving after (gFill index slots)
          fields (left - 1) rest filled

-- | The fields of a constructor, as they are written.
class GWrite f where
  fieldCount :: Proxy f -> Int
  gWrite :: Options -> Layout -> f p -> Encoding

instance GWrite U1 where
  fieldCount _ = 0
  gWrite _ _ _ = mempty

instance (GWrite f, GWrite g) => GWrite (f :*: g) where
  fieldCount _ = fieldCount (Proxy :: Proxy f) + fieldCount (Proxy :: Proxy g)
  gWrite options layout =
    let left = gWrite options layout
        right = gWrite options layout
     in \(f :*: g) -> left f <> right g

instance (Selector s, ToMessagePack a) => GWrite (S1 s (K1 i a)) where
  fieldCount _ = 1
  gWrite options layout = case layout of
    AsMap -> \(M1 (K1 a)) -> byteString key <> toMessagePack a
    AsArray -> \(M1 (K1 a)) -> toMessagePack a
    where
      key = Write.toStrict (Write.text (Text.pack (fieldName options (selName (undefined :: S1 s (K1 i a) ())))))

-- | The fields of a constructor, as they are read: from an array by their position, or from a map into
-- slots by their index.
class GRead f where
  data Slots f
  gCount :: Proxy f -> Int
  gNames :: Proxy f -> [String]
  gNothing :: Maybe (f p)
  gPositions :: Int -> Decoder (f p)
  gEmpty :: Slots f
  gFill :: Int -> Slots f -> Decoder (Slots f)
  gFinish :: [String] -> Slots f -> Either String (f p)

instance GRead U1 where
  data Slots U1 = NoSlots
  gCount _ = 0
  gNames _ = []
  gNothing = Just U1
  gPositions _ = pure U1
  gEmpty = NoSlots
  gFill _ slots = pure slots
  gFinish _ _ = Right U1

instance (GRead f, GRead g) => GRead (f :*: g) where
  data Slots (f :*: g) = Both !(Slots f) !(Slots g)
  gCount _ = gCount (Proxy :: Proxy f) + gCount (Proxy :: Proxy g)
  {-# INLINE gCount #-}
  gNames _ = gNames (Proxy :: Proxy f) <> gNames (Proxy :: Proxy g)
  gNothing = Nothing
  gPositions following =
    (:*:)
      <$> gPositions (following + gCount (Proxy :: Proxy g))
      <*> gPositions following
  gEmpty = Both gEmpty gEmpty
  gFill index (Both left right)
    | index < lefts = (`Both` right) <$> gFill index left
    | otherwise = Both left <$> gFill (index - lefts) right
    where
      lefts = gCount (Proxy :: Proxy f)
  gFinish names (Both left right) = (:*:) <$> gFinish lefts left <*> gFinish rights right
    where
      (lefts, rights) = splitAt (gCount (Proxy :: Proxy f)) names

instance (Selector s, FromMessagePack a) => GRead (S1 s (K1 i a)) where
  data Slots (S1 s (K1 i a)) = Slot !(Maybe a)
  gCount _ = 1
  gNames _ = [selName (undefined :: S1 s (K1 i a) ())]
  gNothing = Nothing
  gPositions following = M1 . K1 <$> Read.reserving following fromMessagePack
  gEmpty = Slot Nothing
  gFill _ _ = Slot . Just <$> fromMessagePack
  gFinish names (Slot slot) = case slot of
    Just a -> Right (M1 (K1 a))
    Nothing -> maybe (Left (concat (take 1 names))) (Right . M1 . K1) whenAbsent
