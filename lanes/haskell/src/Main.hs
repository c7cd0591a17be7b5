{-# LANGUAGE OverloadedStrings #-}

-- | The Haskell lane: responds to the requests of CONTRACT.md until the end of its input.
module Main (main) where

import Control.Concurrent (runInUnboundThread)
import Control.DeepSeq (rnf)
import Control.Exception (Exception (..), SomeException, evaluate, throwIO, try)
import Control.Monad (replicateM, unless, when)
import Data.Aeson (Value, object, (.=))
import qualified Data.Aeson as Aeson
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as Lazy
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import qualified Data.IntMap.Strict as IntMap
import Data.Maybe (isJust)
import Data.Text (Text)
import qualified Data.Vector as Vector
import Data.Version (showVersion)
import Lane.Fetch (Fetched (..), fetch)
import Lane.Frames (Broken (..), readFrame, writeFrames)
import Lane.Meter (Batch (..), allocated, collections, cpuNs, run)
import Lane.Request (Offer (..), Request (..), following, parseObject, parseRequest)
import Lane.Schema (Schema, noSchema)
import Lane.Serve (Service, answered, serve, servicePort)
import Lane.Subject
import System.Exit (die)
import System.IO (hSetBinaryMode, hSetEncoding, stderr, stdin, stdout, utf8)
import System.Info (fullCompilerVersion)

-- | The state of the process: the schema, payloads by the index of their subject, and the server.
data Lane = Lane
  { schema :: IORef Schema
  , loaded :: IORef (IntMap.IntMap Loaded)
  , service :: IORef (Maybe Service)
  }

main :: IO ()
main = do
  hSetBinaryMode stdin True
  hSetBinaryMode stdout True
  hSetEncoding stderr utf8
  lane <- Lane <$> newIORef noSchema <*> newIORef IntMap.empty <*> newIORef Nothing
  -- The main thread is bound to a thread of the system, to which every switch is expensive.
  ended <- runInUnboundThread (try (handleRequests lane))
  case ended of
    Right () -> pure ()
    Left (Broken reason) -> die ("cannot continue: " <> shortened reason)

-- | Leaves out the middle of a long error: aeson names every level of nesting, and says why at the end.
shortened :: String -> String
shortened reason
  | null (drop (2 * part) reason) = reason
  | otherwise = take part reason <> " … " <> drop (length reason - part) reason
  where
    part = 300

handleRequests :: Lane -> IO ()
handleRequests lane = readFrame stdin >>= mapM_ (\frame -> handle frame *> handleRequests lane)
  where
    handle frame = do
      request <- orBroken (parseObject frame)
      frames <- orBroken (following request) >>= (`replicateM` payload)
      response <- either (pure . Left) (respond lane frames) (parseRequest request)
      writeFrames stdout $ case response of
        Right (ok, written) -> Aeson.encode (object ["ok" .= ok]) : written
        Left reason -> [Aeson.encode (object ["error" .= shortened reason])]
    payload = readFrame stdin >>= maybe (throwIO (Broken "the input ends before the frames of a request")) pure
    orBroken = either (throwIO . Broken) pure

-- | The error of a request that cannot be executed.
newtype Refusal = Refusal String
  deriving (Show)

instance Exception Refusal where
  displayException (Refusal reason) = reason

-- | Executes a request. Any exception of a library is an error, also an overflow of the stack.
respond :: Lane -> [ByteString] -> Request -> IO (Either String (Value, [Lazy.ByteString]))
respond lane frames request = either (Left . reason) Right <$> try (execute lane frames request >>= complete)
  where
    -- Bytes are produced here and not while they are written, where an exception would break the frame.
    complete response@(_, written) = response <$ evaluate (rnf written)
    reason = displayException :: SomeException -> String

execute :: Lane -> [ByteString] -> Request -> IO (Value, [Lazy.ByteString])
execute lane frames request = case request of
  Describe -> ok description
  Schema received -> writeIORef (schema lane) received *> ok (object [])
  Load index -> do
    modifyIORef' (loaded lane) (IntMap.delete index)
    unless (index >= 0 && index < length subjects) $
      refuse ("subject is " <> show index <> ", expected a number below " <> show (length subjects))
    known <- readIORef (schema lane)
    payloads <- load known (subjects !! index) frames
    modifyIORef' (loaded lane) (IntMap.insert index payloads)
    ok (object [])
  Digest index -> do
    payloads <- find index
    found <- either refuse pure (digests payloads)
    ok (object ["digests" .= found])
  Encoded index -> do
    written <- encoded <$> find index
    pure (object ["payloads" .= length written], written)
  Run index operation coding window repeats -> do
    payloads <- find index
    unless (all (\each -> each >= 0 && each < loadedCount payloads) window) $
      refuse ("window is " <> show window <> ", expected numbers of the " <> show (loadedCount payloads) <> " payloads")
    actions <- operations payloads operation coding
    batch <- run (map (actions Vector.!) window) repeats
    ok $ object
      [ "wall_ns" .= wallNs batch
      , "cpu_ns" .= batchCpuNs batch
      , "collections" .= batchCollections batch
      , "compiled_ms" .= Aeson.Null
      ]
  Memory index operation -> do
    payloads <- find index
    actions <- operations payloads operation Nothing
    bytes <- traverse allocated (Vector.toList actions)
    let mean = if null bytes then Nothing else Just (sum bytes / fromIntegral (length bytes))
    ok (object ["allocs" .= Aeson.Null, "alloc_bytes" .= mean, "peak_bytes" .= Aeson.Null])
  Serve offers -> do
    running <- isJust <$> readIORef (service lane)
    when running $ refuse "the server is already running"
    prepared <- traverse (\offer -> (,) (mediaType offer) <$> find (offerSubject offer)) offers
    started <- serve prepared
    writeIORef (service lane) (Just started)
    ok (object ["port" .= servicePort started])
  Served -> do
    started <- readIORef (service lane) >>= maybe (refuse "the server is not running") pure
    requests <- answered started
    cpu <- cpuNs
    collected <- collections
    ok (object ["requests" .= requests, "cpu_ns" .= cpu, "collections" .= collected])
  FetchFrom index arguments -> do
    payloads <- find index
    fetched <- fetch (decodeAll payloads) arguments
    pure (fetchedSummary fetched, [fetchedLatencies fetched, fetchedDelays fetched])
  where
    ok answer = pure (answer, [])
    refuse = throwIO . Refusal
    find index =
      readIORef (loaded lane) >>= maybe (refuse ("subject " <> show index <> " has no payloads; send them with `load`")) pure . IntMap.lookup index

description :: Value
description =
  object
    [ "contract" .= (1 :: Int)
    , "lane" .= ("haskell" :: Text)
    , "runtime" .= ("GHC " <> showVersion fullCompilerVersion)
    , "clock_resolution_ns" .= (1 :: Int)
    , "codings" .= ["gzip" :: Text]
    , "http" .= object ["server" .= ("warp" :: Text), "client" .= ("http-client" :: Text), "codings" .= ["gzip" :: Text]]
    , "subjects" .= map described subjects
    ]
  where
    described Subject {library = name, version = number, format = written, target = kind} =
      object
        [ "library" .= name
        , "version" .= number
        , "format" .= written
        , "target" .= kind
        , "buffer" .= ("fresh" :: Text)
        ]
