{-# LANGUAGE CPP #-}

-- | The forms that the replay compares.
module Forms
  ( Form (..)
  , forms
  , pickle
  , checked
  ) where

import qualified Data.Aeson as Aeson
import qualified Data.ByteString.Lazy as Lazy
import qualified Manywire.MessagePack as MessagePack
import Record (Record, Row (..), Today (..), example)

-- | A form of the record: its name, its library, and how it is written and read.
data Form = Form
  { name :: String
  , library :: String
  , encode :: Record -> Lazy.ByteString
  , decode :: Lazy.ByteString -> Record
  }

-- | The forms of the evaluation, and the forms of today.
forms :: [Form]
forms =
  [ Form "json then" ("aeson " <> VERSION_aeson) Aeson.encode (orFail . Aeson.eitherDecode)
  , Form "msgpack then" "the lane's MessagePack" (MessagePack.encode . Row) (rowRecord . orFail . MessagePack.decodeLazy)
  , Form "json today" ("aeson " <> VERSION_aeson) (Aeson.encode . Today) (todayRecord . orFail . Aeson.eitherDecodeStrict' . Lazy.toStrict)
  , Form "msgpack today" "the lane's MessagePack" MessagePack.encode (orFail . MessagePack.decodeLazy)
  ]

orFail :: Show error => Either error a -> a
orFail = either (error . show) id

-- | Writes a record, and reads what was written.
pickle :: Form -> Record -> Record
pickle form = decode form . encode form

-- | Checks that a form keeps the record. Returns the size of its bytes.
checked :: Form -> Int
checked form
  | pickle form example == example = fromIntegral (Lazy.length (encode form example))
  | otherwise = error (name form <> " does not keep the record")
