{-# LANGUAGE OverloadedStrings #-}

-- | The HTTP server and the client of the lane.
module Http (spec) where

import qualified Codec.Compression.GZip as GZip
import Control.Monad (forM_)
import Data.Aeson (Value, object, (.:), (.=))
import Data.Aeson.Types (Pair)
import Data.ByteString (ByteString)
import qualified Data.ByteString as Bytes
import qualified Data.ByteString.Char8 as Char8
import qualified Data.ByteString.Lazy as Lazy
import Data.IORef (atomicModifyIORef', newIORef)
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Text.Encoding (encodeUtf8)
import Network.HTTP.Client hiding (port)
import Network.HTTP.Types
import Network.HTTP.Types.Header (hAcceptEncoding)
import Network.Socket (close)
import Network.Wai (pathInfo, responseLBS)
import Network.Wai.Handler.Warp (openFreePort, testWithApplication)
import Process
import Test.Hspec

given :: [ByteString]
given = ["{\"a\":1}", "[2]"]

start :: Text
start = "5f3a9c01"

withServer :: (Lane -> Int -> IO ()) -> IO ()
withServer test = withLane $ \lane -> do
  _ <- get pure lane (load 0 (length given)) given
  port <- get (.: "port") lane serve []
  test lane port

serve :: Value
serve = object ["verb" .= ("serve" :: Text), "offers" .= [object ["subject" .= (0 :: Int), "media_type" .= ("application/json" :: Text)]]]

request :: Int -> ByteString -> String -> [Header] -> IO (Response Lazy.ByteString)
request port method' path' fields = do
  manager <- newManager defaultManagerSettings
  template <- parseRequest ("http://127.0.0.1:" <> show port <> path')
  httpLbs template {method = method', requestHeaders = fields, decompress = const False} manager

nonceOf :: Int -> String
nonceOf number = Text.unpack start <> replicate (8 - length (show number)) '0' <> show number

requests :: Lane -> IO Int
requests lane = get (.: "requests") lane (object ["verb" .= ("served" :: Text)]) []

fetch :: Int -> [Pair] -> Value
fetch port changes =
  object $
    [ "verb" .= ("fetch" :: Text)
    , "subject" .= (0 :: Int)
    , "url" .= ("http://127.0.0.1:" <> show port <> "/endpoint/0/")
    , "nonce" .= start
    , "headers" .= [("Accept-Encoding", "gzip") :: (Text, Text)]
    , "decode" .= True
    , "connections" .= (2 :: Int)
    , "rate" .= (Nothing :: Maybe Double)
    , "requests" .= (10 :: Int)
    , "duration_ms" .= (60000 :: Int)
    , "timeout_ms" .= (10000 :: Int)
    ]
      <> changes

spec :: Spec
spec = do
  it "serves envelopes" $ withServer $ \lane port -> do
    forM_ ["transport", "endpoint"] $ \meter -> forM_ [0, 1, 2] $ \number -> do
      let path' = "/" <> meter <> "/0/" <> nonceOf number
          expected = given !! (number `mod` 2)
          nonce = Char8.pack (nonceOf number)
      -- Without the field, http-client would add its own.
      plain <- request port "GET" path' [(hAcceptEncoding, "identity")]
      responseStatus plain `shouldBe` status200
      lookup hContentType (responseHeaders plain) `shouldBe` Just "application/json"
      lookup hContentEncoding (responseHeaders plain) `shouldBe` Nothing
      Lazy.toStrict (responseBody plain) `shouldBe` nonce <> expected
      lookup hContentLength (responseHeaders plain) `shouldBe` Just (Char8.pack (show (16 + Bytes.length expected)))
      packed <- request port "GET" path' [(hAcceptEncoding, "gzip")]
      lookup hContentEncoding (responseHeaders packed) `shouldBe` Just "gzip"
      let (head', rest) = Lazy.splitAt 16 (responseBody packed)
      Lazy.toStrict head' `shouldBe` nonce
      Lazy.toStrict (GZip.decompress rest) `shouldBe` expected
    requests lane `shouldReturn` 12

  it "refuses unknown paths, other methods and a second server" $ withServer $ \lane port -> do
    let unknown =
          [ "/"
          , "/endpoint/1/" <> nonceOf 0
          , "/endpoint/-1/" <> nonceOf 0
          , "/endpoint/x/" <> nonceOf 0
          , "/other/0/" <> nonceOf 0
          , "/endpoint/0/" <> Text.unpack start
          , "/endpoint/0/" <> nonceOf 0 <> "/x"
          , "/endpoint/0/5F3A9C0100000000"
          ]
    forM_ unknown $ \path' ->
      do
      response <- request port "GET" path' []
      (path', statusCode (responseStatus response)) `shouldBe` (path', 404)
    posted <- request port "POST" ("/endpoint/0/" <> nonceOf 0) []
    responseStatus posted `shouldBe` status405
    requests lane `shouldReturn` 0
    response <- ask lane serve []
    errorOf response `shouldSatisfy` maybe False ("already" `Text.isInfixOf`)

  it "fetches in closed and open loops" $ withServer $ \lane port -> do
    forM_ [Nothing, Just 200] $ \rate -> do
      (done, errors, size) <-
        get (\ok -> (,,) <$> ok .: "requests" <*> ok .: "errors" <*> ok .: "body_bytes") lane (fetch port ["rate" .= (rate :: Maybe Double)]) []
      (done, errors) `shouldBe` (10 :: Int, 0 :: Int)
      size `shouldSatisfy` (> (10 * 16 :: Int))
      latencies <- receive lane
      delays <- receive lane
      Bytes.length latencies `shouldBe` 80
      Bytes.length delays `shouldBe` maybe 0 (const 80) rate
    -- Each of the two connections sent one uncounted request.
    requests lane `shouldReturn` 24

  it "asks for no coding that is not in the headers" $ withServer $ \lane port -> do
    (errors, size) <- get (\ok -> (,) <$> ok .: "errors" <*> ok .: "body_bytes") lane (fetch port ["headers" .= ([] :: [(Text, Text)])]) []
    _ <- receive lane
    _ <- receive lane
    -- Two uncounted requests come first, so payloads alternate from the first.
    (errors, size) `shouldBe` (0 :: Int, 5 * (16 + Bytes.length (head given)) + 5 * (16 + Bytes.length (given !! 1)))

  it "fetches no longer than it may" $ withServer $ \lane port -> do
    done <- get (.: "requests") lane (fetch port ["rate" .= (100 :: Int), "duration_ms" .= (95 :: Int), "requests" .= (1000 :: Int)]) []
    _ <- receive lane
    _ <- receive lane
    done `shouldBe` (10 :: Int)

  it "refuses an invalid fetch" $ withServer $ \lane port -> do
    let refused changes words' = do
          response <- ask lane (fetch port changes) []
          errorOf response `shouldSatisfy` maybe False (words' `Text.isInfixOf`)
    refused ["url" .= ("http://127.0.0.1:" <> show port <> "/endpoint/7/")] "404"
    refused ["url" .= ("nonsense" :: Text)] "nonsense"
    refused ["connections" .= (0 :: Int)] "connections"
    refused ["rate" .= (-1 :: Int)] "rate"
    -- Without a nonce the whole body is the representation, and an envelope is not valid JSON.
    refused ["url" .= ("http://127.0.0.1:" <> show port <> "/endpoint/0/" <> nonceOf 0), "nonce" .= (Nothing :: Maybe Text)] "the first request"

  it "counts errors, and stops after a hundred" $ withServer $ \lane _ -> do
    count <- newIORef (0 :: Int)
    -- The uncounted requests and twenty more succeed.
    let failing incoming respond' = do
          number <- atomicModifyIORef' count (\number -> (number + 1, number))
          let nonce = encodeUtf8 (last (pathInfo incoming))
          respond' $
            if number < 22
              then responseLBS status200 [] (Lazy.fromStrict (nonce <> "1"))
              else responseLBS status503 [] "overloaded"
    testWithApplication (pure failing) $ \port -> do
      (done, errors, reason) <-
        get (\ok -> (,,) <$> ok .: "requests" <*> ok .: "errors" <*> ok .: "error") lane (fetch port ["requests" .= (1000 :: Int)]) []
      latencies <- receive lane
      _ <- receive lane
      (done, Bytes.length latencies) `shouldBe` (20 :: Int, 160)
      -- Each connection has one request in progress.
      errors `shouldSatisfy` (`elem` [100, 101 :: Int])
      reason `shouldSatisfy` ("status 503: \"overloaded\"" `Text.isInfixOf`)

  it "refuses bodies that are not an envelope with a value" $ withServer $ \lane _ ->
    forM_
      [ (const ([], ""), "expected a body that begins with")
      , (const ([], "5f3a9c010000000"), "expected a body that begins with")
      , (\nonce -> ([], nonce <> "["), "not enough input")
      , (\nonce -> ([(hContentEncoding, "gzip")], nonce <> "1"), "compressed")
      , (\nonce -> ([(hContentEncoding, "br")], nonce <> "1"), "unexpected content coding")
      ]
      $ \(answer, words') -> do
        let application incoming respond' =
              let (fields, body) = answer (encodeUtf8 (last (pathInfo incoming)))
               in respond' (responseLBS status200 fields (Lazy.fromStrict body))
        testWithApplication (pure application) $ \port -> do
          response <- ask lane (fetch port []) []
          errorOf response `shouldSatisfy` maybe False (words' `Text.isInfixOf`)

  it "does not wait longer than the timeout" $ withServer $ \lane _ -> do
    -- It listens, and accepts nothing.
    (port, silent) <- openFreePort
    response <- ask lane (fetch port ["timeout_ms" .= (200 :: Int)]) []
    errorOf response `shouldSatisfy` maybe False ("no response after 200.0 ms" `Text.isInfixOf`)
    close silent
