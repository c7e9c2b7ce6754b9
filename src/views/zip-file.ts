import { pipeline, Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'

/** A file of an archive, opened once those before it are written. */
export type ZipEntry = { name: string; open(): Promise<Readable> }

type ContentFigures = { checksum: number; packedBytes: number; bytes: number }

/**
 * Opens a ZIP archive (PKWARE APPNOTE 4.3), written as its reader takes it, so that no file is in memory as a whole. Equal files give
 * equal bytes. A file may have 4 GB.
 */
export function openZipFile(entries: ZipEntry[]): Readable {
  async function* writeArchive(): AsyncGenerator<Buffer> {
    const directory: Buffer[] = []
    let offset = 0
    for (const { name, open } of entries) {
      const figures: ContentFigures = { checksum: 0, packedBytes: 0, bytes: 0 }
      const header = [encodeSignature(0x04034b50), encodeEntry(name, figures), Buffer.from(name)]
      yield Buffer.concat(header)
      const measure = (chunks: AsyncIterable<Buffer>) => measureContent(chunks, figures)
      for await (const chunk of pipeline(await open(), measure, createDeflateRaw(), () => {})) {
        figures.packedBytes += chunk.length
        yield chunk
      }
      yield Buffer.concat([encodeSignature(0x08074b50), encodeFigures(figures)])
      directory.push(encodeDirectoryEntry(name, figures, offset))
      offset += 30 + Buffer.byteLength(name) + figures.packedBytes + 16
    }
    yield Buffer.concat([...directory, encodeEnd(directory, offset)])
  }
  return Readable.from(writeArchive(), { objectMode: false })
}

async function* measureContent(chunks: AsyncIterable<Buffer>, figures: ContentFigures) {
  for await (const chunk of chunks) {
    figures.checksum = crc32(chunk, figures.checksum)
    figures.bytes += chunk.length
    yield chunk
  }
}

function encodeSignature(signature: number): Buffer {
  const field = Buffer.alloc(4)
  field.writeUInt32LE(signature)
  return field
}

function encodeFigures({ checksum, packedBytes, bytes }: ContentFigures): Buffer {
  const fields = Buffer.alloc(12)
  fields.writeUInt32LE(checksum, 0)
  fields.writeUInt32LE(packedBytes, 4)
  fields.writeUInt32LE(bytes, 8)
  return fields
}

/** Encodes what a file's own header and the directory both have of it, dated 1 January 1980. */
function encodeEntry(name: string, figures: ContentFigures): Buffer {
  const fields = Buffer.alloc(10)
  fields.writeUInt16LE(20, 0) // Version 2.0.
  fields.writeUInt16LE(0x0808, 2) // The name is UTF-8, and the figures follow the content.
  fields.writeUInt16LE(8, 4) // Deflate.
  fields.writeUInt16LE(0x21, 8)
  const lengths = Buffer.alloc(4)
  lengths.writeUInt16LE(Buffer.byteLength(name), 0)
  return Buffer.concat([fields, encodeFigures(figures), lengths])
}

function encodeDirectoryEntry(name: string, figures: ContentFigures, offset: number): Buffer {
  const madeBy = Buffer.from([20, 0])
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(offset, 10)
  return Buffer.concat([
    encodeSignature(0x02014b50),
    madeBy,
    encodeEntry(name, figures),
    rest,
    Buffer.from(name),
  ])
}

function encodeEnd(directory: Buffer[], offset: number): Buffer {
  const fields = Buffer.alloc(18)
  fields.writeUInt16LE(directory.length, 4)
  fields.writeUInt16LE(directory.length, 6)
  fields.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    8,
  )
  fields.writeUInt32LE(offset, 12)
  return Buffer.concat([encodeSignature(0x06054b50), fields])
}
