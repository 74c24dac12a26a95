/**
 * Headers that describe a body other than ours, or how long it may be kept: set before the request failed, they must not
 * go out with the rejection. Others stay, those of CORS for example.
 */
export const STALE_HEADERS: readonly string[] = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Location',
  'Content-Range',
  'ETag',
  'Expires',
  'Last-Modified',
  'Location',
  'Trailer',
  'Transfer-Encoding',
];
