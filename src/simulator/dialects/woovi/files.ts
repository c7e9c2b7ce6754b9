import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import busboy from 'busboy'
import type { Context } from 'koa'
import type { Answer, Call } from '../../calls.ts'
import type { Store } from '../../store.ts'
import type { World } from '../../world.ts'
import * as errors from './errors.ts'
import { read, uploadBody } from './schemas.ts'

/** A file of a customer's ("Como fazer upload de um arquivo?"): of its bytes only the digest is kept. */
export type StoredFile = {
  accountId: string
  id: string
  correlationID: string
  purpose: string
  fileName: string
  contentType: string
  size: number
  sha256: string
  createdAt: string
}

const MOST_BYTES = 10 * 1024 * 1024
/** The first bytes of what Woovi takes, by content type. */
const BEGINNINGS: Record<string, (bytes: Buffer) => boolean> = {
  'application/pdf': bytes => bytes.subarray(0, 5).toString('latin1') === '%PDF-',
  'image/png': bytes => bytes.subarray(0, 8).toString('hex') === '89504e470d0a1a0a',
  'image/jpeg': bytes => bytes.subarray(0, 3).toString('hex') === 'ffd8ff',
  'image/webp': bytes => /^RIFF.{4}WEBP$/s.test(bytes.subarray(0, 12).toString('latin1')),
}

export function fileOf(store: Store, accountId: string, id: string): StoredFile | undefined {
  return store.one<StoredFile>('SELECT * FROM wooviFile WHERE accountId = ? AND id = ?', accountId, id)
}

/** `POST /files`: the same correlationID again is the file that is there. */
export function fileCallsOf({ store, now }: World): { upload(call: Call): Answer } {
  return {
    upload: ({ account, body }) => {
      const asked = read(uploadBody, body)
      if ('refusal' in asked) return asked.refusal
      const { purpose, file } = asked.value
      if (file.bytes.length > MOST_BYTES) return errors.fileTooLarge()
      if (!BEGINNINGS[file.contentType]?.(file.bytes)) return errors.fileUnsupported()
      const id = `file${store.count('wooviFile')}`
      const correlationID = asked.value.correlationID ?? id
      const there = store.one<StoredFile>(
        'SELECT * FROM wooviFile WHERE accountId = ? AND correlationID = ?',
        account.id,
        correlationID,
      )
      if (there) return { status: 200, body: { file: shown(there) } }
      const stored: StoredFile = {
        ...{ accountId: account.id, id, correlationID, purpose },
        ...{ fileName: file.name, contentType: file.contentType, size: file.bytes.length },
        sha256: createHash('sha256').update(file.bytes).digest('hex'),
        createdAt: now().toISOString(),
      }
      store.insert('wooviFile', stored)
      return { status: 201, body: { file: shown(stored) } }
    },
  }
}

function shown({ accountId: _, sha256: __, ...file }: StoredFile) {
  return { ...file, url: `https://files.sim.trilho.test/${file.id}` }
}

/** The fields of a multipart form; of files the one named `file`, cut off after the first byte too many. */
export async function formOf(ctx: Context): Promise<Record<string, unknown>> {
  const form: Record<string, unknown> = {}
  if (!ctx.is('multipart/form-data')) {
    await text(ctx.req)
    return form
  }
  const parser = busboy({ headers: ctx.req.headers, limits: { files: 1, fileSize: MOST_BYTES + 1 } })
  parser.on('field', (name, value) => {
    form[name] = value
  })
  parser.on('file', (name, stream, { filename, mimeType }) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      form[name] = { name: filename, contentType: mimeType, bytes: Buffer.concat(chunks) }
    })
  })
  await new Promise<void>((resolve, reject) => {
    parser.on('close', resolve).on('error', reject)
    ctx.req.pipe(parser)
  })
  return form
}
