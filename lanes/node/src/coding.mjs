// gzip at level 6, the usual default.

import { gunzipSync, gzipSync } from "node:zlib";

export const deflate = (bytes) => gzipSync(bytes, { level: 6 });

export const inflate = (bytes) => gunzipSync(bytes);
