import { isUtf8 } from 'node:buffer'
import { createWriteStream, openAsBlob } from 'node:fs'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream'
import { fileTypeFromFile } from 'file-type'
import { multipart, type Part, type PluginFunction, type File as SpooledFile } from 'formidable'
import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import { MAX_ATTACHMENTS } from '../domain/disputes/attachment.ts'
import type { Semaphore } from '../domain/shared/semaphore.ts'
import { StorageError } from '../storage/storage.ts'
import { ApiError, fail, failField } from './api-error.ts'
import { refuseCompression } from './body.ts'
import {
  MAX_FORM_BYTES,
  MAX_FORM_FIELDS,
  MAX_FORM_HEADER_BYTES,
  MAX_FORM_PARTS,
  MAX_FORM_TEXT_BYTES,
  STALE_FORM_AFTER_MS,
  UPLOAD_TIMEOUT_MS,
} from './limits.ts'
import { getRequestDeadline } from './request-deadline.ts'
import { awaitArrival, setArrivalTimeout } from './server.ts'
import type { FieldErrors } from './validate.ts'

/**
 * Reads forms by koa-body, which writes their files to a folder per form. The rest is ours, because formidable has no
 * such option: limits of all bytes, of headers and of parts; limits that name the field and read on,
 * so that the merchant gets all errors at once; and no file stays open that formidable opens after a failure.
 */

/** An uploaded file, on this machine's disk until the request is answered. Its type is detected from its bytes. */
export type Upload = File & { path: string }

type FormRequest = {
  /** Limits the forms of one account that are read at once. */
  formSemaphore: Semaphore
  accountUuid: string | undefined
  /** Runs when it is this form's turn: the form before may have made this one pointless. */
  beforeBody(): Promise<unknown>
  /** Its disposal deletes the files. */
  cleanup: AsyncDisposableStack
}

type MultipartForm = {
  /** Texts and Uploads, nested by their names. */
  value: Record<string, unknown>
  /** Errors that are independent of the form's schema. */
  errors: FieldErrors
}

/**
 * Reads `multipart/form-data` as a stream; only texts are held in memory. Fails with 415 for another content type, 400
 * where the form breaks off, 413 above the limit of all bytes, 422 at once above the limit of parts. The end of the response lets
 * the account's next form in.
 */
export async function readMultipartForm(
  ctx: Context,
  { formSemaphore, accountUuid = '', beforeBody, cleanup }: FormRequest,
): Promise<MultipartForm> {
  setArrivalTimeout(ctx.req, UPLOAD_TIMEOUT_MS)
  const deadline = getRequestDeadline()
  const release = await deadline.pauseWhile(formSemaphore.acquire(accountUuid))
  // Not with the request's work, of which a step may never end: by then the client has its answer, or is gone.
  finished(ctx.res, release)
  await beforeBody()
  requireForm(ctx)
  try {
    const folder = await makeSpoolFolder()
    cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
    const { values, files, errors } = await deadline.pauseWhile(awaitArrival(ctx.req, spoolForm(ctx, folder)))
    const { value, repeatedPaths } = nestFormValues([...values, ...(await toUploads(files))])
    for (const path of repeatedPaths) errors[path] = ['must be sent once']
    return { value, errors }
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (Object(error).syscall === undefined) fail('malformed_multipart')
    throw new StorageError(`no room for an upload: ${Object(error).code}`)
  } finally {
    // Read and drop the rest of the body: closing with unread data would reset the connection and lose the response.
    ctx.req.resume()
  }
}

function requireForm(ctx: Context): void {
  refuseCompression(ctx)
  if (!ctx.is('multipart/form-data')) fail('unsupported_media_type')
  if (Number(ctx.get('Content-Length')) > MAX_FORM_BYTES) fail('upload_too_large')
  // formidable accepts an empty body.
  if (ctx.get('Content-Length') === '0') fail('malformed_multipart')
}

const NOT_UTF8 = ['must be UTF-8']

/** Bytes outside ASCII in a name that formidable has read as `binary`: one character for each byte. */
const NAME_BYTES = /[\x80-\xff]+/g

function decodeName(name: string): string {
  return name.replace(NAME_BYTES, bytes => Buffer.from(bytes, 'binary').toString())
}

function isUtf8Name(name: string | null): boolean {
  return (name?.match(NAME_BYTES) ?? []).every(bytes => isUtf8(Buffer.from(bytes, 'binary')))
}

type FormFile = { name: string; file: SpooledFile }

async function spoolForm(ctx: Context, folder: string) {
  const values: FormValue[] = []
  const files: FormFile[] = []
  const errors: FieldErrors = {}
  let partCount = 0
  let valueBytes = 0
  let hasFailed = false
  const requireLimits = (receivedBytes = 0) => {
    if (receivedBytes > MAX_FORM_BYTES || receivedBytes - valueBytes > MAX_FORM_HEADER_BYTES)
      fail('upload_too_large')
    if (partCount > MAX_FORM_PARTS)
      failField('body', {
        text: 'must not have more than {max} texts and files',
        gaps: { max: MAX_FORM_PARTS },
      })
  }
  const limitForm: PluginFunction = form => {
    form.on('progress', receivedBytes => requireLimits(receivedBytes))
    form.on('error', () => {
      hasFailed = true
    })
  }
  const readText = (part: Part, name: string) => {
    const chunks: Buffer[] = []
    let size = 0
    part.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_FORM_TEXT_BYTES) chunks.push(chunk)
    })
    part.on('end', () => {
      const bytes = Buffer.concat(chunks)
      if (size > MAX_FORM_TEXT_BYTES) errors[toFieldPath(name)] = ['is too long']
      else if (!isUtf8(bytes)) errors[toFieldPath(name)] = NOT_UTF8
      values.push({ name, value: bytes.toString() })
    })
  }
  const readPart = (part: Part, spool: (part: Part) => void) => {
    partCount += 1
    part.on('data', (chunk: Buffer) => {
      valueBytes += chunk.length
    })
    if (hasFailed || partCount > MAX_FORM_PARTS) return
    const name = decodeName(part.name ?? '')
    if (![part.name, part.originalFilename].every(isUtf8Name)) errors[toFieldPath(name)] = NOT_UTF8
    part.name = name
    // A part with a file name is a file, any other is a text, whatever media type it names.
    if (part.originalFilename === null) {
      if (values.length < MAX_FORM_FIELDS) readText(part, name)
      else errors.body = [{ text: 'must not have more than {max} fields', gaps: { max: MAX_FORM_FIELDS } }]
    } else if (files.length >= MAX_ATTACHMENTS) {
      errors[toFieldPath(name)] = [
        { text: 'must not be sent: at most {max} files', gaps: { max: MAX_ATTACHMENTS } },
      ]
    } else {
      part.originalFilename = decodeName(part.originalFilename)
      part.mimetype ??= 'application/octet-stream'
      spool(part)
    }
  }
  const parse = koaBody({
    json: false,
    urlencoded: false,
    text: false,
    multipart: true,
    formidable: {
      uploadDir: folder,
      enabledPlugins: [multipart, limitForm],
      onPart: readPart,
      encoding: 'binary', // Of names: formidable would replace invalid UTF-8, and a letter that two chunks share.
      onFileBegin: (name, file) => files.push({ name, file }),
      fileWriteStreamHandler: () => {
        const stream = createWriteStream(files.at(-1)!.file.filepath)
        return hasFailed ? stream.destroy() : stream
      },
      allowEmptyFiles: true,
      minFileSize: 0,
      maxFileSize: MAX_FORM_BYTES, // The schema has their limits.
    },
  })
  await parse(ctx, async () => {})
  requireLimits()
  return { values, files, errors }
}

/** Detects the types of files. Browsers send an empty file input as an empty file without a name, which is none. */
function toUploads(files: FormFile[]): Promise<FormValue[]> {
  const sentFiles = files.filter(({ file }) => file.size > 0 || file.originalFilename !== '')
  return Promise.all(
    sentFiles.map(async ({ name, file: { filepath: path, originalFilename } }) => {
      const type = (await fileTypeFromFile(path))?.mime ?? ''
      const file = new File([await openAsBlob(path)], originalFilename ?? '', { type })
      return { name, value: Object.assign(file, { path }) }
    }),
  )
}

const SPOOL_FOLDER_PREFIX = 'trilho-form-'

/**
 * Creates a spool folder, and removes folders left by processes that were killed while reading a form: evidence of a
 * dispute must not stay on disk.
 */
async function makeSpoolFolder(): Promise<string> {
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

/**
 * A form value and its field name. Names nest: `a[0][file]` and `a[][file]` are `{ a: [{ file }] }`. A list keeps the
 * indexes it was sent with, so that errors use the merchant's own paths.
 */
type FormValue = { name: string; value: unknown }

/** Limits of nesting and of list length; no form of the contract exceeds them. */
const MAX_NAME_DEPTH = 4
const LIST_INDEX = /^\d{1,3}$/

type NameTree = Map<string, unknown>

/** Nests form values by their names. `repeatedPaths` lists the paths that were sent twice; the first value counts. */
export function nestFormValues(values: FormValue[]): {
  value: Record<string, unknown>
  repeatedPaths: string[]
} {
  const root: NameTree = new Map()
  const repeated: string[] = []
  for (const { name, value } of values) {
    const steps = splitFieldName(name)
    if (!putValue(root, steps, value)) repeated.push(steps.join('.'))
  }
  return { value: Object.fromEntries(toPlainEntries(root)), repeatedPaths: repeated }
}

/** Converts a form name to the path used in errors: `attachments.0.file`. */
function toFieldPath(name: string): string {
  return splitFieldName(name).join('.')
}

function splitFieldName(name: string): string[] {
  const [, first, rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  const steps = [first ?? name, ...[...rest.matchAll(/\[(.*?)\]/g)].map(([, step]) => step!)]
  return steps.length > MAX_NAME_DEPTH ? [name] : steps
}

/** Stores a value in the tree; returns false where the path already has one. */
function putValue(root: NameTree, steps: string[], value: unknown): boolean {
  let branch = root
  for (const step of steps.slice(0, -1)) {
    const key = step === '' ? String(branch.size) : step
    const inner = branch.get(key) ?? new Map()
    if (!(inner instanceof Map)) return false
    branch.set(key, inner)
    branch = inner
  }
  const lastStep = steps.at(-1)!
  const key = lastStep === '' ? String(branch.size) : lastStep
  if (branch.has(key)) return false
  branch.set(key, value)
  return true
}

function toPlainValue(value: unknown): unknown {
  if (!(value instanceof Map)) return value
  const keys = [...value.keys()]
  if (!keys.every(key => LIST_INDEX.test(key))) return Object.fromEntries(toPlainEntries(value))
  const list: unknown[] = []
  for (const [key, inner] of toPlainEntries(value)) list[Number(key)] = inner
  return list
}

function toPlainEntries(branch: NameTree): [string, unknown][] {
  return [...branch].map(([key, inner]) => [key, toPlainValue(inner)])
}
