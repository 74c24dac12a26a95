/**
 * Headers that describe a body other than ours, or how long caches may keep it: set before the request failed, they must
 * not go out with the rejection. Others stay, those of CORS for example.
 */
export const STALE_HEADERS: readonly string[] = [
  'Accept-Ranges',
  // RFC 9213, and what it was before: a cache that knows it heeds it rather than Cache-Control.
  'CDN-Cache-Control',
  'Surrogate-Control',
  'Content-Digest',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Location',
  'Content-MD5',
  'Content-Range',
  'Digest',
  'ETag',
  'Expires',
  'Last-Modified',
  'Location',
  'Repr-Digest',
  'Trailer',
  'Transfer-Encoding',
];
