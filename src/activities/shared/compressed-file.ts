import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, type Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { FileStorage } from '../../storage/storage.ts'
import { getCancellationSignal } from '../runtime/cancellation.ts'

type StoredFile = {
  content: Readable
  /** What the compressed bytes pass before they are stored. */
  cipher?: Transform
  /** Key in the storage, which may depend on the digest. */
  keyOf(sha256: string): string
}

/** Of a content as it was read, before it was compressed. */
type ContentFigures = { key: string; sizeBytes: number; sha256: string }

/** Writes a content compressed into the storage, by a temporary file of this machine. */
export async function storeCompressedFile(
  storage: Pick<FileStorage, 'writeFile'>,
  { content, cipher = new PassThrough(), keyOf }: StoredFile,
): Promise<ContentFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'trilho-file-'))
  try {
    const path = join(folder, 'file')
    const signal = getCancellationSignal()
    const digest = createHash('sha256')
    let sizeBytes = 0
    await pipeline(
      content,
      joinChunks,
      async function* (blocks: AsyncIterable<Buffer>) {
        for await (const block of blocks) {
          digest.update(block)
          sizeBytes += block.length
          yield block
        }
      },
      createGzip({ level: 1 }), // A higher level costs more time than it saves space.
      cipher,
      createWriteStream(path, { mode: 0o600 }),
      { ...(signal && { signal }) },
    )
    const sha256 = digest.digest('hex')
    const key = keyOf(sha256)
    const { size } = await stat(path)
    await storage.writeFile(key, { path, type: 'application/octet-stream', sizeBytes: size })
    return { key, sizeBytes, sha256 }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const BLOCK_BYTES = 65_536

/** Joins the chunks of a content, often a line each, to blocks: each call of the compression costs more than its bytes. */
async function* joinChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let waitingBytes = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    waitingBytes += chunk.length
    if (waitingBytes < BLOCK_BYTES) continue
    yield Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
  }
  yield Buffer.concat(waiting)
}
