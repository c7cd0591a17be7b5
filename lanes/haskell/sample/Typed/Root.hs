module Typed.Root where

import qualified Typed.AsArray
import qualified Typed.AsMap
import qualified Typed.Types

type Json = Typed.Types.Root
type AsMap = Typed.AsMap.Root
type AsArray = Typed.AsArray.Root
