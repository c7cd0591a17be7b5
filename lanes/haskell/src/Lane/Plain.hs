{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TypeOperators #-}

-- | The values of subjects in the terms of the digest.
module Lane.Plain
  ( ToPlain (..)
  , genericToPlain
  ) where

import qualified Data.Aeson as Aeson
import qualified Data.Aeson.Key as Key
import qualified Data.Aeson.KeyMap as KeyMap
import Data.ByteString (ByteString)
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.Map.Strict as Map
import Data.Scientific (Scientific)
import qualified Data.Scientific as Scientific
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Time (UTCTime)
import qualified Data.Vector as Vector
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Float (float2Double)
import GHC.Generics
import Lane.Digest (Plain (..))
import Manywire.MessagePack (Timestamp, timestampOf, timestampNanoseconds, timestampSeconds)
import qualified Manywire.MessagePack as MessagePack

-- | A type whose values have digests. An error is the reason why a value has none.
class ToPlain a where
  toPlain :: a -> Either String Plain

instance ToPlain Bool where toPlain = Right . Bool
instance ToPlain Int8 where toPlain = whole
instance ToPlain Int16 where toPlain = whole
instance ToPlain Int32 where toPlain = whole
instance ToPlain Int64 where toPlain = whole
instance ToPlain Word8 where toPlain = whole
instance ToPlain Word16 where toPlain = whole
instance ToPlain Word32 where toPlain = whole
instance ToPlain Word64 where toPlain = whole
instance ToPlain Float where toPlain = Right . Real . float2Double
instance ToPlain Double where toPlain = Right . Real
instance ToPlain Text where toPlain = Right . Text
instance ToPlain ByteString where toPlain = Right . Bytes
instance ToPlain UTCTime where toPlain = maybe (Left "a point in time beyond 64 bits has no digest") (Right . time) . timestampOf
instance ToPlain a => ToPlain (Maybe a) where toPlain = maybe (Right Null) toPlain
instance ToPlain a => ToPlain [a] where toPlain = fmap Array . traverse toPlain
instance ToPlain a => ToPlain (Map.Map Text a) where toPlain = fmap Map . traverse (traverse toPlain) . Map.toList

whole :: Integral a => a -> Either String Plain
whole = Right . Whole . toInteger

time :: Timestamp -> Plain
time at = Time (timestampSeconds at) (timestampNanoseconds at)

-- | 'toPlain' for a record, or for a type that wraps another one. The function returns the key of a field.
genericToPlain :: (Generic a, GFields (Rep a)) => (String -> String) -> a -> Either String Plain
genericToPlain keyOf record = case gFields (from record) of
  [("", content)] -> content
  fields -> Map <$> traverse (\(name, content) -> (,) (Text.pack (keyOf name)) <$> content) fields

-- | The fields of a constructor with their names. A field without a name has an empty one.
class GFields f where
  gFields :: f p -> [(String, Either String Plain)]

instance GFields f => GFields (D1 d f) where gFields (M1 constructor) = gFields constructor
instance GFields f => GFields (C1 c f) where gFields (M1 fields) = gFields fields
instance GFields U1 where gFields U1 = []
instance (GFields f, GFields g) => GFields (f :*: g) where gFields (f :*: g) = gFields f <> gFields g
instance (Selector s, ToPlain a) => GFields (S1 s (K1 i a)) where gFields field@(M1 (K1 a)) = [(selName field, toPlain a)]

instance ToPlain Aeson.Value where toPlain = Right . fromJson

fromJson :: Aeson.Value -> Plain
fromJson Aeson.Null = Null
fromJson (Aeson.Bool true) = Bool true
fromJson (Aeson.Number number) = fromScientific number
fromJson (Aeson.String content) = Text content
fromJson (Aeson.Array items) = Array (map fromJson (Vector.toList items))
fromJson (Aeson.Object entries) = Map [(Key.toText key, fromJson item) | (key, item) <- KeyMap.toList entries]

-- | Numbers of any exponent, without expanding their digits.
fromScientific :: Scientific -> Plain
fromScientific number
  | Scientific.base10Exponent number > digitsMax = Real (Scientific.toRealFloat number)
  | otherwise = either Real Whole (Scientific.floatingOrInteger number)
  where
    -- With so many digits, it is beyond 64 bits.
    digitsMax = 20

instance ToPlain MessagePack.Value where
  toPlain value = case value of
    MessagePack.Nil -> Right Null
    MessagePack.Bool true -> Right (Bool true)
    MessagePack.Int number -> whole number
    MessagePack.Word number -> whole number
    MessagePack.Float number -> toPlain number
    MessagePack.Double number -> toPlain number
    MessagePack.Text content -> Right (Text content)
    MessagePack.Binary content -> Right (Bytes content)
    MessagePack.Array items -> Array <$> traverse toPlain (Vector.toList items)
    MessagePack.Map entries -> Map <$> traverse entry (Vector.toList entries)
    MessagePack.Time at -> Right (time at)
    MessagePack.Extension kind _ -> Left ("an extension of type " <> show kind <> " has no digest")
    where
      entry (key, item) = (,) <$> name key <*> toPlain item
      name key = case key of
        MessagePack.Text content -> Right content
        MessagePack.Bool true -> Right (if true then "true" else "false")
        MessagePack.Int number -> Right (Text.pack (show number))
        MessagePack.Word number -> Right (Text.pack (show number))
        _ -> Left "a key that is neither text, nor an integer, nor a boolean has no digest"
