{-# LANGUAGE OverloadedStrings #-}

-- | Tests the forms of the record, and the service over HTTP.
module Main (main) where

import Api (application)
import Control.Monad (forM_)
import qualified Data.Aeson as Aeson
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as Lazy
import Forms (checked, forms, pickle)
import qualified Manywire.MessagePack as MessagePack
import Network.HTTP.Client hiding (port)
import Network.HTTP.Types
import Network.Wai.Handler.Warp (testWithApplication)
import Record (B (..), Record (..), Row (..), Today (..), example)
import Test.Hspec hiding (example)

main :: IO ()
main = hspec $ do
  describe "the forms" $ do
    it "keep the record" $ forM_ forms $ \form -> do
      pickle form other `shouldBe` other
      checked form `shouldSatisfy` (> 0)
    it "have the bytes of the formats" $ do
      Aeson.encode (Today example)
        `shouldBe` "{\"fieldB\":{\"tag\":\"B1\",\"contents\":1},\"fieldText\":\"foo\",\"fieldInt\":12,\"fieldDouble\":234.234123,\"fieldFloat\":123.34563,\"fieldWord\":12,\"fieldMaybeText\":null,\"fieldListText\":[\"bar\",\"baz\"]}"
      Lazy.length (Aeson.encode example) `shouldBe` 183
      MessagePack.encodeStrict (Row example)
        `shouldBe` "\x98\x81\xa2\&B1\x01\xa3\&foo\x0c\xcb\x40\x6d\x47\x7d\xef\x84\x87\xba\xca\x42\xf6\xb0\xf6\x0c\xc0\x92\xa3\&bar\xa3\&baz"

  describe "the service" . around (testWithApplication (pure application)) $ do
    it "chooses the form by Accept" $ \port -> forM_ accepted $ \(accept, media, body) -> do
      response <- request port "GET" [(hAccept, accept)] ""
      (accept, responseStatus response) `shouldBe` (accept, status200)
      (accept, lookup hContentType (responseHeaders response)) `shouldBe` (accept, Just media)
      responseBody response `shouldBe` body
    it "answers 406 if no form is accepted" $ \port ->
      forM_ ["text/html", "application/cbor", "application/json;q=0"] $ \accept -> do
        response <- request port "GET" [(hAccept, accept)] ""
        (accept, responseStatus response) `shouldBe` (accept, status406)
    it "reads both forms" $ \port ->
      forM_ [("application/json", Aeson.encode other), ("application/msgpack", MessagePack.encode other)] $ \(media, body) -> do
        response <- request port "POST" [(hContentType, media), (hAccept, "application/vnd.msgpack")] body
        (media, responseStatus response) `shouldBe` (media, status200)
        MessagePack.decodeLazy (responseBody response) `shouldBe` Right other
    it "answers 415 and 400 for other bodies" $ \port -> do
      wrong <- request port "POST" [(hContentType, "application/cbor")] "\xa0"
      responseStatus wrong `shouldBe` status415
      cut <- request port "POST" [(hContentType, "application/vnd.msgpack")] (Lazy.take 20 (MessagePack.encode other))
      responseStatus cut `shouldBe` status400
      responseBody cut `shouldBe` "expected 9 bytes, found 2 at byte 18"

other :: Record
other = example {fieldB = B2 0.1, fieldInt = minBound, fieldWord = maxBound, fieldMaybeText = Just "é", fieldListText = []}

-- | Values of Accept, and the type and the body of the response.
accepted :: [(ByteString, ByteString, Lazy.ByteString)]
accepted =
  [ ("*/*", "application/json;charset=utf-8", json)
  , ("application/json", "application/json;charset=utf-8", json)
  , ("application/vnd.msgpack", "application/vnd.msgpack", messagePack)
  , ("application/msgpack", "application/msgpack", messagePack)
  , ("application/x-msgpack", "application/x-msgpack", messagePack)
  , ("application/json;q=0.5, application/msgpack", "application/msgpack", messagePack)
  , ("application/json, application/msgpack;q=0.5", "application/json;charset=utf-8", json)
  , ("text/html, application/vnd.msgpack;q=0.1", "application/vnd.msgpack", messagePack)
  ]
  where
    json = Aeson.encode example
    messagePack = MessagePack.encode example

request :: Int -> Method -> RequestHeaders -> Lazy.ByteString -> IO (Response Lazy.ByteString)
request at verb fields body = do
  manager <- newManager defaultManagerSettings
  template <- parseRequest ("http://127.0.0.1:" <> show at <> "/record")
  httpLbs template {method = verb, requestHeaders = fields, requestBody = RequestBodyLBS body} manager
