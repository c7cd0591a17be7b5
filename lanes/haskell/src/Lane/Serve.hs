{-# LANGUAGE OverloadedStrings #-}

-- | The HTTP server of the verb @serve@: warp with its default settings.
module Lane.Serve
  ( Service
  , servicePort
  , serve
  , answered
  ) where

import Control.Concurrent (forkIO)
import Control.DeepSeq (force)
import Control.Exception (SomeException, displayException, evaluate, try)
import Control.Monad (void)
import qualified Data.ByteString as Strict
import qualified Data.ByteString.Builder as Builder
import qualified Data.ByteString.Char8 as Char8
import qualified Data.ByteString.Lazy as Lazy
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)
import Data.Text (Text)
import qualified Data.Text as Text
import Data.Text.Encoding (encodeUtf8)
import Data.Vector (Vector, (!?))
import qualified Data.Vector as Vector
import qualified Lane.Coding as Coding
import Lane.Subject (Loaded, loadedCount, represent)
import Network.HTTP.Types (Header, Status, hContentLength, hContentType, methodGet, status200, status404, status405, status500)
import Network.HTTP.Types.Header (hAcceptEncoding, hContentEncoding)
import Network.Wai (Application, Response, pathInfo, requestHeaders, requestMethod, responseBuilder, responseLBS)
import Network.Wai.Handler.Warp (defaultSettings, openFreePort, runSettingsSocket)
import Numeric (readHex)

-- | The server, which runs until the process ends.
data Service = Service {servicePort :: Int, counter :: IORef Int}

-- | An offer with the bodies that were prepared for @transport@, with and without compression.
data Prepared = Prepared
  { contentType :: Strict.ByteString
  , payloads :: Loaded
  , uncompressed :: Vector Lazy.ByteString
  , compressed :: Vector Lazy.ByteString
  }

-- | Starts the server for subjects with their media types, and returns once it accepts connections.
serve :: [(Text, Loaded)] -> IO Service
serve offers = do
  prepared <- Vector.fromList <$> traverse prepare offers
  -- The socket listens already; connections wait in its queue.
  (port, socket) <- openFreePort
  started <- Service port <$> newIORef 0
  void (forkIO (runSettingsSocket defaultSettings socket (respond (counter started) prepared)))
  pure started
  where
    prepare (media, subject) = Prepared (encodeUtf8 media) subject <$> bodies subject Nothing <*> bodies subject gzip
    bodies subject coding = evaluate (force (Vector.generate (loadedCount subject) (represent subject coding)))

-- | The number of requests that were answered with 200.
answered :: Service -> IO Int
answered = readIORef . counter

gzip :: Maybe Coding.Level
gzip = Just Coding.defaultLevel

respond :: IORef Int -> Vector Prepared -> Application
respond count offers request send = case parsePath offers (pathInfo request) of
  Nothing -> send (message status404 "not found")
  Just _ | requestMethod request /= methodGet -> send (message status405 "expected GET")
  Just (meter, offer, nonce, number) -> do
    let isCompressed = lookup hAcceptEncoding (requestHeaders request) == Just "gzip"
        index = number `mod` loadedCount (payloads offer)
    produced <- try . evaluate . force $ case meter of
      Transport -> (if isCompressed then compressed offer else uncompressed offer) Vector.! index
      Endpoint -> represent (payloads offer) (if isCompressed then gzip else Nothing) index
    case produced of
      Left failure -> send (message status500 (displayException (failure :: SomeException)))
      Right body -> do
        atomicModifyIORef' count (\before -> (before + 1, ()))
        send (envelope offer isCompressed nonce body)

data Meter = Transport | Endpoint

-- | Parses @/METER/OFFER/NONCE@ to the offer, the nonce, and the number of the request.
parsePath :: Vector Prepared -> [Text] -> Maybe (Meter, Prepared, Strict.ByteString, Int)
parsePath offers [meter, offer, nonce] = do
  parsedMeter <- lookup meter [("transport", Transport), ("endpoint", Endpoint)]
  (index, "") <- Char8.readInt (encodeUtf8 offer)
  found <- offers !? index
  number <- requestNumber nonce
  pure (parsedMeter, found, encodeUtf8 nonce, number)
parsePath _ _ = Nothing

-- | Returns the number of the request at the end of a nonce: the last eight of its sixteen digits.
requestNumber :: Text -> Maybe Int
requestNumber nonce
  | Text.length nonce == 16 && Text.all isDigit nonce = Just (fst (head (readHex (Text.unpack (Text.drop 8 nonce)))))
  | otherwise = Nothing
  where
    isDigit c = c >= '0' && c <= '9' || c >= 'a' && c <= 'f'

envelope :: Prepared -> Bool -> Strict.ByteString -> Lazy.ByteString -> Response
envelope offer isCompressed nonce body = responseBuilder status200 fields (Builder.byteString nonce <> Builder.lazyByteString body)
  where
    size = Strict.length nonce + fromIntegral (Lazy.length body)
    fields :: [Header]
    fields =
      [(hContentType, contentType offer), (hContentLength, Char8.pack (show size))]
        <> [(hContentEncoding, "gzip") | isCompressed]

message :: Status -> String -> Response
message status text = responseLBS status [(hContentType, "text/plain; charset=utf-8")] (Lazy.fromStrict (encodeUtf8 (Text.pack text)))
