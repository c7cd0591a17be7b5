{-# LANGUAGE OverloadedStrings #-}

-- | The lane as a process that is driven by frames, as the orchestrator does.
module Process
  ( Lane
  , withLane
  , withTypes
  , send
  , receive
  , frame
  , ask
  , get
  , errorOf
  , load
  , encoded
  , ended
  , dynamicSubjects
  , typedSubjects
  , subjectMembers
  ) where

import Control.Exception (bracket)
import Control.Monad (replicateM)
import Data.Aeson (Value, object, (.:), (.=))
import qualified Data.Aeson as Aeson
import Data.Aeson.Types (Parser, parseEither)
import Data.ByteString (ByteString)
import qualified Data.ByteString as Bytes
import qualified Data.ByteString.Builder as Builder
import qualified Data.ByteString.Char8 as Char8
import qualified Data.ByteString.Lazy as Lazy
import Data.Text (Text)
import System.Exit (ExitCode)
import System.IO (Handle, hClose, hFlush, hSetBinaryMode)
import System.Process
import System.Timeout (timeout)

data Lane = Lane {input :: Handle, output :: Handle, errors :: Handle, process :: ProcessHandle}

-- | Runs the lane. It gets two minutes, in which no test hangs unnoticed.
withLane :: (Lane -> IO a) -> IO a
withLane = withProgram "bin/lane"

-- | Runs the lane with the types of @sample@.
withTypes :: (Lane -> IO a) -> IO a
withTypes = withProgram "bin/sample"

withProgram :: FilePath -> (Lane -> IO a) -> IO a
withProgram program act = timeout 120000000 (bracket start stop act) >>= maybe (fail "no end within two minutes") pure
  where
    start = do
      (Just to, Just from, Just err, handle) <-
        createProcess (proc program []) {std_in = CreatePipe, std_out = CreatePipe, std_err = CreatePipe}
      hSetBinaryMode to True
      hSetBinaryMode from True
      pure (Lane to from err handle)
    stop lane = cleanupProcess (Just (input lane), Just (output lane), Just (errors lane), process lane)

frame :: ByteString -> ByteString
frame content = Lazy.toStrict (Builder.toLazyByteString (Builder.word32BE (fromIntegral (Bytes.length content)))) <> content

send :: Lane -> ByteString -> IO ()
send lane raw = Bytes.hPut (input lane) raw *> hFlush (input lane)

receive :: Lane -> IO ByteString
receive lane = do
  size <- Bytes.foldl' (\sum' byte -> sum' * 256 + fromIntegral byte) 0 <$> Bytes.hGet (output lane) 4
  Bytes.hGet (output lane) size

-- | Sends a request and frames. Returns the response, without frames that follow it.
ask :: Lane -> Value -> [ByteString] -> IO Value
ask lane request frames = do
  send lane (foldMap frame (Lazy.toStrict (Aeson.encode request) : frames))
  response <- receive lane
  either fail pure (Aeson.eitherDecodeStrict' response)

-- | Returns a part of the response to a request that must succeed.
get :: (Aeson.Object -> Parser a) -> Lane -> Value -> [ByteString] -> IO a
get part lane request frames = do
  response <- ask lane request frames
  either (\reason -> fail (reason <> " in " <> show response <> " to " <> take 200 (show request))) pure $
    parseEither (Aeson.withObject "a response" (.: "ok") >=> part) response
  where
    first >=> second = \a -> first a >>= second

-- | Returns the error of a response, or 'Nothing'.
errorOf :: Value -> Maybe Text
errorOf = either (const Nothing) Just . parseEither (Aeson.withObject "a response" (.: "error"))

load :: Int -> Int -> Value
load subject count = object ["verb" .= ("load" :: Text), "subject" .= subject, "payloads" .= count]

-- | The bytes that a subject writes for its payloads.
encoded :: Lane -> Int -> IO [ByteString]
encoded lane subject = do
  count <- get (.: "payloads") lane (object ["verb" .= ("encode" :: Text), "subject" .= subject]) []
  replicateM count (receive lane)

-- | Sends bytes and closes the input. Returns the exit code and the rest of both outputs.
ended :: Lane -> ByteString -> IO (ExitCode, ByteString, String)
ended lane raw = do
  send lane raw
  hClose (input lane)
  out <- Bytes.hGetContents (output lane)
  err <- Bytes.hGetContents (errors lane)
  code <- waitForProcess (process lane)
  pure (code, out, Char8.unpack err)

-- | The index and the format of every subject of dynamic values.
dynamicSubjects :: Lane -> IO [(Int, Text)]
dynamicSubjects = subjectsOf "dynamic"

-- | The index and the format of every subject of typed values.
typedSubjects :: Lane -> IO [(Int, Text)]
typedSubjects = subjectsOf "typed"

subjectsOf :: Text -> Lane -> IO [(Int, Text)]
subjectsOf kind lane = do
  formats <- subjectMembers lane "format"
  targets <- subjectMembers lane "target"
  pure [(index, format) | (index, format, target) <- zip3 [0 ..] formats targets, target == kind]

-- | A member of the description of every subject.
subjectMembers :: Lane -> Aeson.Key -> IO [Text]
subjectMembers lane member = get members lane (object ["verb" .= ("describe" :: Text)]) []
  where
    members ok = ok .: "subjects" >>= traverse (.: member)
