import { createHash } from 'node:crypto'

type MultipartForm = {
  fields: Record<string, string>
  file: { field: string; name: string; contentType: string; bytes: Buffer }
}

/** Encodes a form with one file (RFC 7578); the boundary is derived from the content, so that nothing is random. */
export function encodeMultipart({ fields, file }: MultipartForm): { type: string; bytes: Buffer } {
  const boundary = `trilho${createHash('sha256').update(file.bytes).digest('hex').slice(0, 32)}`
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${file.field}"; filename="${file.name}"\r\ncontent-type: ${file.contentType}\r\n\r\n`
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([
      Buffer.from(texts.join('') + head),
      file.bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  }
}
