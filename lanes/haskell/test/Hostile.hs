{-# LANGUAGE OverloadedStrings #-}

-- | The lane responds to any payload bytes, and continues.
module Hostile (spec) where

import Control.Monad (forM, forM_)
import Data.Aeson (object, (.=))
import Data.ByteString (ByteString)
import qualified Data.ByteString as Bytes
import Data.Text (Text)
import qualified Data.Text as Text
import Documents (documents, name, payloads)
import Process
import Test.Hspec

spec :: Spec
spec = do
  it "gets a response for invalid bytes" $ withLane $ \lane -> do
    subjects <- dynamicSubjects lane
    forM_ subjects $ \(subject, format) ->
      forM_ (["", "\0", Bytes.replicate 64 0xff] <> hostile format) $ \payload -> answers lane subject payload

  it "is refused if it is nested very deeply" $ withLane $ \lane -> do
    subjects <- dynamicSubjects lane
    forM_ subjects $ \(subject, format) -> forM_ (deep format) $ \payload -> do
      refused <- answers lane subject payload
      (format, refused) `shouldBe` (format, True)

  it "is refused if it is any strict prefix of a document" $ do
    found <- documents
    forM_ (filter ((== "record-a") . name) found) $ \document -> withLane $ \lane -> do
      subjects <- dynamicSubjects lane
      forM_ subjects $ \(subject, format) -> forM_ (payloads document format) $ \payload -> do
        Bytes.length payload `shouldSatisfy` (> 50)
        refusals <- forM [0 .. Bytes.length payload - 1] $ \size -> answers lane subject (Bytes.take size payload)
        and refusals `shouldBe` True

  it "does not allocate by a length that is only told" $ withLane $ \lane -> do
    -- A thousand arrays inside each other, each with a count of all bytes that follow.
    let count = 1000000 :: Int
        heads = Bytes.concat (replicate 1000 (Bytes.pack [0xdd, 0x00, 0x0f, 0x00, 0x00]))
    response <- ask lane (load 1 1) [heads <> Bytes.replicate count 0xc0]
    fmap (Text.isInfixOf "too few bytes") (errorOf response) `shouldBe` Just True

-- | Returns whether a payload is refused.
answers :: Lane -> Int -> ByteString -> IO Bool
answers lane subject payload = do
  response <- ask lane (load subject 1) [payload]
  case errorOf response of
    Just reason -> True <$ (reason `shouldSatisfy` (not . Text.null))
    Nothing -> do
      -- A value that was read may still have no digest.
      _ <- ask lane (object ["verb" .= ("digest" :: Text), "subject" .= subject]) []
      False <$ encoded lane subject

depth :: Int
depth = 100000

times :: ByteString -> ByteString
times = Bytes.concat . replicate depth

hostile :: Text -> [ByteString]
hostile "json" = [times "[" <> times "]", "1e999999999", "-1e-999999999", "\"\\ud800\"", "\255", "{\"a\":1,\"a\":2}"]
hostile _ =
  [ "\xdd\xff\xff\xff\xff"
  , "\xdf\xff\xff\xff\xff"
  , "\xdb\xff\xff\xff\xff"
  , "\xc6\xff\xff\xff\xff"
  , "\xc9\xff\xff\xff\xff\x01"
  , "\xc1"
  , "\xd4\x05\0"
  , "\xa1\xff"
  ]

deep :: Text -> [ByteString]
deep "json" = [times "[", times "{\"a\":"]
deep _ = [times "\x91", times "\x81\xa1\&a", times "\x91" <> "\xc0"]
