{-# LANGUAGE CPP #-}

-- | The coders for the types of the payloads, which are in a build with the flag @-DTYPED@. Its modules @Typed@ are
-- those that generate.hs writes.
module Lane.Typed
  ( Typed (..)
  , typed
  ) where

import Lane.Coder
#ifdef TYPED
import Typed.Json ()
import qualified Typed.Root as Root
#endif

-- | Coders for the type of a whole payload.
data Typed = Typed
  { typedJson :: AnyCoder
  , typedMap :: AnyCoder -- ^ MessagePack, records as maps
  , typedArray :: AnyCoder -- ^ MessagePack, records as arrays
  }

-- | The coders, or 'Nothing' in a build without types.
typed :: Maybe Typed
#ifdef TYPED
typed =
  Just
    Typed
      { typedJson = AnyCoder (json :: Coder Root.Json)
      , typedMap = AnyCoder (messagePack :: Coder Root.AsMap)
      , typedArray = AnyCoder (messagePack :: Coder Root.AsArray)
      }
#else
typed = Nothing
#endif
