import type { Dispatcher } from 'undici'

/** Recorded bytes of an endpoint's response body; the rest is never read. */
export const MAX_RECORDED_BYTES = 1_024

/**
 * Reads the start of a response body as text that PostgreSQL can store. Never decompresses: no encoding was
 * requested, and a small body can expand enormously. A body that breaks off yields what arrived.
 */
export async function readResponseText({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  body.on('error', () => {}) // Dropping the rest raises a stream error that does not matter here.
  if ((getFirstValue(headers['content-encoding']) ?? 'identity') !== 'identity') {
    body.destroy()
    return ''
  }
  return toStorableText(await readFirstBytes(body))
}

/** Parses Retry-After (RFC 9110 §10.2.3) to milliseconds from `now`: 0 for a past date, undefined if malformed. */
export function parseRetryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = getFirstValue(header)?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) // asctime, the oldest form, names no zone.
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

async function readFirstBytes(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of body) {
      parts.push(part)
      length += part.length
      if (length >= MAX_RECORDED_BYTES) break
    }
  } catch {
    // Reset or timed out: the status has been received, and it decides.
  }
  return Buffer.concat(parts)
}

function toStorableText(bytes: Buffer): string {
  const text = decodeRecordedBytes(bytes).replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd')
  return decodeRecordedBytes(Buffer.from(text)) // A replacement takes three bytes, so the text may have grown.
}

/** Decodes at most the recorded bytes, without a partial character at the end. */
function decodeRecordedBytes(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, MAX_RECORDED_BYTES), { stream: true })
}

function getFirstValue(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
