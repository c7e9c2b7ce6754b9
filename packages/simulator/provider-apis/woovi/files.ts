import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatorStore } from '../../store.ts'
import * as errors from './errors.ts'
import { parseWooviBody, uploadBody } from './schemas.ts'

/** An uploaded file ("Como fazer upload de um arquivo?"); of its bytes only the digest is stored. */
export type WooviFile = {
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

const MAX_FILE_BYTES = 10 * 1024 * 1024
/** Checks of the first bytes, by the content types that Woovi accepts. */
const FILE_SIGNATURES: Record<string, (bytes: Buffer) => boolean> = {
  'application/pdf': bytes => bytes.subarray(0, 5).toString('latin1') === '%PDF-',
  'image/png': bytes => bytes.subarray(0, 8).toString('hex') === '89504e470d0a1a0a',
  'image/jpeg': bytes => bytes.subarray(0, 3).toString('hex') === 'ffd8ff',
  'image/webp': bytes => /^RIFF.{4}WEBP$/s.test(bytes.subarray(0, 12).toString('latin1')),
}

export function findWooviFile(store: SimulatorStore, accountId: string, id: string): WooviFile | undefined {
  return store.first<WooviFile>('SELECT * FROM wooviFile WHERE accountId = ? AND id = ?', accountId, id)
}

/** Creates the handler of `POST /files`; a repeated correlationID returns the existing file. */
export function createWooviFileHandlers({ store, now }: SimulatorState): {
  upload(call: SimulatedCall): SimulatedResponse
} {
  return {
    upload: ({ account, body }) => {
      const parsed = parseWooviBody(uploadBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const { purpose, file } = parsed.value
      if (file.bytes.length > MAX_FILE_BYTES) return errors.fileTooLarge()
      if (!FILE_SIGNATURES[file.contentType]?.(file.bytes)) return errors.fileUnsupported()
      const id = `file${store.nextCount('wooviFile')}`
      const correlationID = parsed.value.correlationID ?? id
      const existing = store.first<WooviFile>(
        'SELECT * FROM wooviFile WHERE accountId = ? AND correlationID = ?',
        account.id,
        correlationID,
      )
      if (existing) return { status: 200, body: { file: presentFile(existing) } }
      const created: WooviFile = {
        accountId: account.id,
        id,
        correlationID,
        purpose,
        fileName: file.name,
        contentType: file.contentType,
        size: file.bytes.length,
        sha256: createHash('sha256').update(file.bytes).digest('hex'),
        createdAt: now().toISOString(),
      }
      store.insert('wooviFile', created)
      return { status: 201, body: { file: presentFile(created) } }
    },
  }
}

function presentFile({ accountId: _, sha256: __, ...file }: WooviFile) {
  return { ...file, url: `https://files.sim.trilho.test/${file.id}` }
}

const parseForm = koaBody({
  json: false,
  urlencoded: false,
  text: false,
  multipart: true,
  formidable: { maxFileSize: 2 * MAX_FILE_BYTES, allowEmptyFiles: true, minFileSize: 0 },
})

/** Reads a multipart form; the handler checks the size of its files. */
export async function readWooviUploadForm(ctx: Context): Promise<Record<string, unknown>> {
  await parseForm(ctx, async () => {})
  const form: Record<string, unknown> = { ...Object(ctx.request.body) }
  for (const [field, sent] of Object.entries(ctx.request.files ?? {}))
    for (const { originalFilename: name, mimetype: contentType, filepath } of [sent].flat()) {
      form[field] = { name, contentType, bytes: await readFile(filepath) }
      await rm(filepath)
    }
  return form
}
