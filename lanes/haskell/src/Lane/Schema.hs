{-# LANGUAGE OverloadedStrings #-}

-- | The schema of the payloads, as far as subjects depend on it.
module Lane.Schema
  ( Schema (..)
  , noSchema
  ) where

import Data.Aeson (FromJSON (..), withObject, (.:), (.:?))
import Data.Map.Strict (Map)
import qualified Data.Map.Strict as Map
import Data.Maybe (catMaybes)
import qualified Data.Set as Set
import Data.Text (Text)

newtype Schema = Schema
  { hasRecordInUnion :: Bool -- ^ whether a place that has values of several kinds may have a record
  }

-- | The schema of payloads that Protocol Buffers cannot represent, of which there is no model.
noSchema :: Schema
noSchema = Schema {hasRecordInUnion = False}

-- | Reads the member @model@ of the request @schema@, as CONTRACT.md describes it.
instance FromJSON Schema where
  parseJSON = withObject "a model" $ \model -> do
    messages <- model .: "messages"
    pure (Schema (any (reachesRecord messages) (Map.filter ((== "union") . form) messages)))

-- | A message: its form, and the names of the messages in its fields.
data Message = Message {form :: Text, parts :: [Text]}

instance FromJSON Message where
  parseJSON = withObject "a message" $ \message -> Message <$> message .: "form" <*> (message .: "fields" >>= fmap catMaybes . traverse part)
    where
      part = withObject "a field" $ \field -> do
        kind <- field .: "kind"
        if kind == ("message" :: Text) then field .:? "of" else pure Nothing

-- | Returns whether a message has a record or a sum type at any depth.
reachesRecord :: Map Text Message -> Message -> Bool
reachesRecord messages = go Set.empty . parts
  where
    go _ [] = False
    go seen (name : names)
      | name `Set.member` seen = go seen names
      | otherwise = case Map.lookup name messages of
          Just message -> form message `elem` ["record", "variants"] || go (Set.insert name seen) (parts message <> names)
          Nothing -> go seen names
