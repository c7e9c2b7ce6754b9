import { once } from 'node:events'
import { createWriteStream, openAsBlob } from 'node:fs'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import busboy from 'busboy'
import { fileTypeFromFile } from 'file-type'
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '../../domain/disputes/attachment.ts'
import { StorageError } from '../../storage/storage.ts'
import {
  MAX_FORM_BYTES,
  MAX_FORM_FIELDS,
  MAX_FORM_PARTS,
  MAX_FORM_TEXT_BYTES,
  STALE_FORM_AFTER_MS,
} from '../limits.ts'
import { ApiError, fail } from './api-error.ts'
import { type FormValue, nestFormValues, toFieldPath } from './multipart-field-names.ts'
import type { FieldErrors } from './validate.ts'

/**
 * An uploaded file, spooled to this machine's disk until the request is answered. Its type is detected from its bytes.
 */
export class Upload extends File {
  readonly path: string
  constructor(content: Blob, { name, type, path }: { name: string; type: string; path: string }) {
    super([content], name, { type })
    this.path = path
  }
}

export type MultipartForm = {
  /** Texts and Uploads, nested by their names. */
  value: Record<string, unknown>
  /** Errors that are independent of the form's schema. */
  errors: FieldErrors
  /** Deletes the spooled files. */
  discard(): Promise<void>
}

/**
 * Reads `multipart/form-data` as a stream; only texts are held in memory. Parts above a limit are read and dropped,
 * so that the merchant gets all errors at once: 415 for another content type, 400 where the form breaks off, 413
 * above the limit of all files together, 422 at once above the limit of parts.
 */
export async function readMultipartForm(request: IncomingMessage): Promise<MultipartForm> {
  const parser = createFormParser(request)
  const folder = createSpoolFolder()
  const values: FormValue[] = []
  const errors: FieldErrors = {}
  const spooling: Promise<void>[] = []

  parser.on('error', () => {}) // Handled by `finished` below; an error after the end adds nothing.
  parser.on('field', (name, value, { valueTruncated }) => {
    if (valueTruncated) errors[toFieldPath(name)] = ['is too long']
    values.push({ name, value })
  })
  parser.on('fieldsLimit', () => {
    errors.body = [`must not have more than ${MAX_FORM_FIELDS} fields`]
  })
  parser.on('partsLimit', () => parser.destroy(createTooManyPartsError()))
  parser.on('file', (name, stream, { filename }) => {
    stream.on('error', () => {}) // A form that breaks off makes the parser fail as well.
    if (spooling.length >= MAX_ATTACHMENTS) {
      errors[toFieldPath(name)] = [`must not be sent: at most ${MAX_ATTACHMENTS} files`]
      stream.resume()
      return
    }
    const spooled = folder.spool(stream, filename ?? '').then(upload => {
      // Browsers send an empty file input as an empty file without a name.
      if (upload.size > 0 || upload.name !== '') values.push({ name, value: upload })
    })
    spooled.catch(error => parser.destroy(error))
    spooling.push(spooled)
  })

  try {
    await Promise.all([finished(parser), feedParser(request, parser)])
    await Promise.all(spooling)
  } catch (error) {
    parser.destroy()
    await Promise.allSettled(spooling)
    await folder.discard()
    if (error instanceof ApiError || error instanceof StorageError) throw error
    fail('malformed_multipart')
  } finally {
    // Read and drop the rest of the body: closing with unread data would reset the connection and lose the response.
    request.resume()
  }
  const { value, repeatedPaths } = nestFormValues(values)
  for (const path of repeatedPaths) errors[path] = ['must be sent once']
  return { value, errors, discard: folder.discard }
}

function createTooManyPartsError(): ApiError {
  const message = `must not have more than ${MAX_FORM_PARTS} texts and files`
  return new ApiError('validation_failed', { errors: { body: [message] } })
}

function createFormParser(request: IncomingMessage): busboy.Busboy {
  const {
    'content-type': type = '',
    'content-encoding': encoding,
    'content-length': length,
  } = request.headers
  if (encoding !== undefined && encoding !== 'identity') fail('unsupported_media_type')
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) fail('unsupported_media_type')
  if (Number(length ?? 0) > MAX_FORM_BYTES) fail('upload_too_large')
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: {
        fieldSize: MAX_FORM_TEXT_BYTES,
        fields: MAX_FORM_FIELDS,
        // busboy emits `partsLimit` when the limit is reached, not exceeded.
        parts: MAX_FORM_PARTS + 1,
        // One byte more than allowed, so that a file that is too large is detected.
        fileSize: MAX_ATTACHMENT_BYTES + 1,
      },
    })
  } catch {
    fail('malformed_multipart') // The content type names no boundary.
  }
}

/** Writes the request into the parser with backpressure. */
async function feedParser(request: IncomingMessage, parser: Writable): Promise<void> {
  let size = 0
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    size += part.length
    if (size > MAX_FORM_BYTES) fail('upload_too_large')
    if (parser.errored) return
    if (!parser.write(part)) await once(parser, 'drain')
  }
  parser.end()
}

const SPOOL_FOLDER_PREFIX = 'trilho-form-'

/** Creates the folder that one form's files are spooled to, on the first file. */
function createSpoolFolder() {
  let folder: Promise<string> | undefined
  let count = 0
  return {
    async spool(stream: Readable, name: string): Promise<Upload> {
      try {
        folder ??= makeSpoolDirectory()
        const path = join(await folder, String(count++))
        await pipeline(stream, createWriteStream(path, { mode: 0o600 }))
        const type = (await fileTypeFromFile(path))?.mime ?? ''
        return new Upload(await openAsBlob(path), { name, type, path })
      } catch (error) {
        // The error of a form that breaks off is reported by the parser.
        if (Object(error).syscall === undefined) throw error
        throw new StorageError(`no room for an upload: ${Object(error).code}`)
      }
    },
    async discard() {
      if (folder) await rm(await folder, { recursive: true, force: true })
    },
  }
}

/**
 * Creates a spool folder, and removes folders left by processes that were killed while reading a form: evidence of a
 * dispute must not stay on disk.
 */
async function makeSpoolDirectory(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${SPOOL_FOLDER_PREFIX}${process.pid}-`))
  const spools = (await readdir(tmpdir())).filter(name => name.startsWith(SPOOL_FOLDER_PREFIX))
  // Owned by another user, or just removed by another process.
  for (const name of spools) await removeIfStale(join(tmpdir(), name)).catch(() => {})
  return folder
}

async function removeIfStale(path: string): Promise<void> {
  const { mtimeMs } = await lstat(path)
  if (Date.now() - mtimeMs > STALE_FORM_AFTER_MS) await rm(path, { recursive: true })
}
