{-# LANGUAGE OverloadedStrings #-}

-- | The HTTP client of the verb @fetch@: http-client, with a thread for each connection.
module Lane.Fetch
  ( Fetched (..)
  , fetch
  ) where

import Control.Concurrent (MVar, forkIO, modifyMVar, modifyMVar_, newEmptyMVar, newMVar, putMVar, readMVar, takeMVar, yield)
import Control.Exception (Exception (..), SomeException, throwIO, try)
import Control.Monad (replicateM, unless, when)
import Data.Aeson (Value, object, (.=))
import Data.ByteString (ByteString)
import qualified Data.ByteString as Strict
import Data.ByteString.Builder (Builder, toLazyByteString, word64BE)
import qualified Data.ByteString.Lazy as Lazy
import qualified Data.CaseInsensitive as CaseInsensitive
import Data.Maybe (fromMaybe)
import qualified Data.Text as Text
import Data.Text.Encoding (encodeUtf8)
import Data.Word (Word64)
import GHC.Clock (getMonotonicTimeNSec)
import qualified Lane.Coding as Coding
import Lane.Meter (collections, cpuNs)
import Lane.Request (Fetch (..))
import qualified Lane.Request as Request
import Network.HTTP.Client
import Network.HTTP.Types (statusCode)
import Network.HTTP.Types.Header (hAcceptEncoding, hContentEncoding)
import System.Posix.Unistd (nanosleep)
import System.Timeout (timeout)
import Text.Printf (printf)

-- | The response to @fetch@: its object, and the two frames that follow.
data Fetched = Fetched
  { fetchedSummary :: Value
  , fetchedLatencies :: Lazy.ByteString
  , fetchedDelays :: Lazy.ByteString
  }

-- | The state of the loops.
data State = State
  { nextNumber :: !Int -- ^ of the next request
  , planned :: !Int -- ^ how many requests were planned since the start of the clock
  , failures :: !Int
  , firstFailure :: !(Maybe String)
  , succeeded :: !Int
  , bodyBytes :: !Int
  , latencies :: !Builder
  , delays :: !Builder
  }

-- | An error of a request.
newtype Failed = Failed String
  deriving (Show)

instance Exception Failed where
  displayException (Failed reason) = reason

-- | The number of errors after which no request is started.
failuresMax :: Int
failuresMax = 100

-- | Sends requests, and decodes bodies with a function.
fetch :: (ByteString -> IO ()) -> Fetch -> IO Fetched
fetch decode arguments = do
  manager <- newManager defaultManagerSettings {managerConnCount = Request.connections arguments}
  state <- newMVar (State 0 0 0 Nothing 0 0 mempty mempty)
  send <- sender manager decode arguments
  onConnections arguments $ do
    number <- modifyMVar state (\now -> pure (now {nextNumber = nextNumber now + 1}, nextNumber now))
    try (send number) >>= either (failed state) (const (pure ()))
  opened <- readMVar state
  -- Figures without a connection would be meaningless, so the clock does not start.
  mapM_ (\reason -> throwIO (Failed ("the first request: " <> reason))) (firstFailure opened)
  collected <- collections
  cpu <- cpuNs
  start <- getMonotonicTimeNSec
  onConnections arguments (loop arguments state start send)
  wall <- subtract start <$> getMonotonicTimeNSec
  spent <- subtract cpu <$> cpuNs
  ended <- collections
  done <- readMVar state
  pure
    Fetched
      { fetchedSummary =
          object
            [ "requests" .= succeeded done
            , "errors" .= failures done
            , "error" .= firstFailure done
            , "body_bytes" .= bodyBytes done
            , "wall_ns" .= wall
            , "cpu_ns" .= spent
            , "collections" .= (ended - collected)
            ]
      , fetchedLatencies = toLazyByteString (latencies done)
      , fetchedDelays = toLazyByteString (delays done)
      }

-- | Runs an action on every connection, and waits for all of them.
onConnections :: Fetch -> IO () -> IO ()
onConnections arguments act = do
  ended <- replicateM (Request.connections arguments) $ do
    done <- newEmptyMVar
    _ <- forkIO (try act >>= putMVar done)
    pure done
  results <- traverse takeMVar ended
  mapM_ (either (throwIO :: SomeException -> IO ()) pure) results

-- | Sends requests on one connection until none are left.
loop :: Fetch -> MVar State -> Word64 -> (Int -> IO Int) -> IO ()
loop arguments state start send = do
  request <- nextRequest arguments state start
  case request of
    Nothing -> pure ()
    Just (number, instant) -> do
      mapM_ sleepUntil instant
      sent <- getMonotonicTimeNSec
      result <- try (send number)
      latency <- subtract (fromMaybe sent instant) <$> getMonotonicTimeNSec
      case result of
        Left failure -> failed state failure
        Right size -> modifyMVar_ state $ \now ->
          pure $!
            now
              { succeeded = succeeded now + 1
              , bodyBytes = bodyBytes now + size
              , latencies = latencies now <> word64BE latency
              , delays = delays now <> foldMap (word64BE . (sent -)) instant
              }
      loop arguments state start send

-- | Returns the number of the next request and, in an open loop, the instant for which it is planned.
nextRequest :: Fetch -> MVar State -> Word64 -> IO (Maybe (Int, Maybe Word64))
nextRequest arguments state start = modifyMVar state $ \now -> do
  elapsed <- case rate arguments of
    Nothing -> subtract start <$> getMonotonicTimeNSec
    Just perSecond -> pure (floor (fromIntegral (planned now) / perSecond * 1e9))
  let isOver =
        fromIntegral elapsed > durationMs arguments * 1e6
          || planned now >= requestsMax arguments
          || failures now >= failuresMax
      instant = (start + elapsed) <$ rate arguments
  pure $
    if isOver
      then (now, Nothing)
      else (now {nextNumber = nextNumber now + 1, planned = planned now + 1}, Just (nextNumber now, instant))

-- | Returns at an instant, and not before. The timers of the runtime count milliseconds. The timers of the
-- system are late by less than the rest, during which the thread spins and other threads run.
sleepUntil :: Word64 -> IO ()
sleepUntil instant = do
  now <- getMonotonicTimeNSec
  when (instant > now + lateness) $ nanosleep (fromIntegral (instant - now - lateness))
  spin
  where
    lateness = 80000
    spin = do
      now <- getMonotonicTimeNSec
      when (now < instant) (yield *> spin)

failed :: MVar State -> SomeException -> IO ()
failed state failure = modifyMVar_ state $ \now ->
  pure $! now {failures = failures now + 1, firstFailure = Just (fromMaybe (displayException failure) (firstFailure now))}

-- | Returns the action that sends the request of a number, reads and checks the response, and returns the
-- size of its body.
sender :: Manager -> (ByteString -> IO ()) -> Fetch -> IO (Int -> IO Int)
sender manager decode arguments = do
  template <- parseRequest (Text.unpack (url arguments))
  let request =
        template
          { requestHeaders = if isGzipAllowed then fields else fields <> [(hAcceptEncoding, "")]
          , responseTimeout = responseTimeoutNone
          , decompress = const False
          , redirectCount = 0
          }
      send number = do
        let begin = maybe "" (\run -> encodeUtf8 run <> numbered number) (nonce arguments)
        response <- httpLbs request {path = path request <> begin} manager
        let body = Lazy.toStrict (responseBody response)
        unless (statusCode (responseStatus response) == 200) $
          throwIO (Failed ("status " <> show (statusCode (responseStatus response)) <> ": " <> show (Strict.take 200 body)))
        unless (begin `Strict.isPrefixOf` body) $
          throwIO (Failed ("expected a body that begins with " <> show begin <> ", found " <> show (Strict.take 40 body)))
        when (decodes arguments) $ do
          let representation = Strict.drop (Strict.length begin) body
          case lookup hContentEncoding (responseHeaders response) of
            Nothing -> decode representation
            Just "gzip" | isGzipAllowed -> decode (Lazy.toStrict (Coding.inflate (Lazy.fromStrict representation)))
            Just other -> throwIO (Failed ("unexpected content coding " <> show other))
        pure (Strict.length body)
  pure $ \number ->
    timeout (ceiling (timeoutMs arguments * 1000)) (send number)
      >>= maybe (throwIO (Failed ("no response after " <> show (timeoutMs arguments) <> " ms"))) pure
  where
    fields = [(CaseInsensitive.mk (encodeUtf8 name), encodeUtf8 value) | (name, value) <- headers arguments]
    -- Without the field, http-client would add its own; an empty one is left out.
    isGzipAllowed = or ["gzip" `Strict.isInfixOf` value | (name, value) <- fields, name == hAcceptEncoding]
    numbered number = encodeUtf8 (Text.pack (printf "%08x" (number :: Int)))
