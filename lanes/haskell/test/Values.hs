{-# LANGUAGE OverloadedStrings #-}

-- | Values that JSON cannot represent, from bytes written by hand by each format's specification.
module Values (spec) where

import Control.Monad (forM_)
import Data.Aeson (object, (.:), (.=))
import Data.ByteString (ByteString)
import qualified Data.ByteString as Bytes
import Data.List (find)
import Data.Text (Text)
import qualified Data.Text as Text
import Expected (sha256)
import Process
import Test.Hspec

spec :: Spec
spec = forM_ values $ \(format, cases) ->
  forM_ cases $ \(payload, form) -> it (Text.unpack format <> " " <> show (Bytes.take 40 payload)) $
    withLane $ \lane -> do
      subject <- maybe (error "no such format") fst . find ((== format) . snd) <$> dynamicSubjects lane
      _ <- get pure lane (load subject 1) [payload]
      response <- ask lane (object ["verb" .= ("digest" :: Text), "subject" .= subject]) []
      case form of
        Nothing -> errorOf response `shouldSatisfy` maybe False ("has no digest" `Text.isInfixOf`)
        Just canonical -> do
          digests <- get (.: "digests") lane (object ["verb" .= ("digest" :: Text), "subject" .= subject]) []
          digests `shouldBe` [sha256 canonical]

-- | Bytes, and the canonical form of their value, or 'Nothing' if it has none.
values :: [(Text, [(ByteString, Maybe ByteString)])]
values =
  [ ( "json"
    , [ ("18446744073709551615", Just "i18446744073709551615;")
      , ("18446744073709551616", Just (hex "64 43f0000000000000"))
      , ("-9223372036854775808", Just "i-9223372036854775808;")
      , ("-9223372036854775809", Just "i-9223372036854775808;")
      , ("-9223372036854777856", Just (hex "64 c3e0000000000001"))
      , ("[-0.0,2.0,1e3,0.5]", Just ("a4:i0;i2;i1000;" <> hex "64 3fe0000000000000"))
      , -- The last should count, but aeson keeps the first.
        ("{\"a\":1,\"a\":2}", Just "m1:s1:ai1;")
      , ("1e999999999", Just (hex "64 7ff0000000000000"))
      , ("[1e-999999999]", Just "a1:i0;")
      , ("{\"b\":null,\"aa\":1,\"\195\169\":true,\"a\":[]}", Just "m3:s1:aa0:s2:aai1;s2:\195\169t")
      ]
    )
  , ( "msgpack"
    , [ (hex "c4 02 0102", Just "b2:\1\2")
      , (hex "d6ff 00000001", Just "T1.0;")
      , (hex "d7ff 77359400 514b67b0", Just "T1363896240.500000000;")
      , (hex "c70cff 3b9ac9ff ffffffffffffffff", Just "T-1.999999999;")
      , (hex "82 05 c2 a161 c0", Just "m1:s1:5f")
      , (hex "83 c3 01 cf8000000000000000 02 ff 03", Just "m3:s19:9223372036854775808i2;s2:-1i3;s4:truei1;" )
      , (hex "82 a161 01 a161 02", Just "m1:s1:ai2;")
      , (hex "82 a161 01 a161 c0", Just "m0:")
      , (hex "ca 3e000000", Just (hex "64 3fc0000000000000"))
      , (hex "cb 7ff8000000000001", Just (hex "64 7ff8000000000000"))
      , (hex "cb fff0000000000000", Just (hex "64 fff0000000000000"))
      , (hex "ca ff800000", Just (hex "64 fff0000000000000"))
      , (hex "cb 43f0000000000000", Just (hex "64 43f0000000000000"))
      , (hex "cb 43e0000000000000", Just "i9223372036854775808;")
      , (hex "cf ffffffffffffffff", Just "i18446744073709551615;")
      , (hex "d4 05 00", Nothing)
      , (hex "81 90 01", Nothing)
      ]
    )
  ]

hex :: String -> ByteString
hex = Bytes.pack . pairs . filter (/= ' ')
  where
    pairs (high : low : rest) = read ['0', 'x', high, low] : pairs rest
    pairs _ = []
