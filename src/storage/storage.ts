import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import type { S3Driver } from 'flydrive/drivers/s3'
import { createFileLinks, type FileLinks } from './file-links.ts'
import type { StorageSettings } from './settings.ts'

/** Files that belong to rows: written once under a key of ours, read, and removed. They are private. */
export type FileStorage = {
  kind: StorageSettings['kind']
  /** Copies a file of this machine. Throws StorageError. */
  writeFile(key: string, file: { path: string; type: string; sizeBytes: number }): Promise<void>
  /** Opens a file; null if there is none. Throws StorageError. */
  openFile(key: string): Promise<{ stream: Readable; sizeBytes: number } | null>
  /** Removes a file; succeeds also if it does not exist. Throws StorageError. */
  removeFile(key: string): Promise<void>
  /** Measures the file system of the folder; null for a bucket, and while the folder does not exist. */
  measureSpace(): Promise<{ freeBytes: number; sizeBytes: number } | null>
  /** Creates a URL that needs no token and expires after `seconds`, or the configured time. */
  createLink(key: string, seconds?: number): Promise<string>
  /** Verifies links that `createLink` made for the disk; a bucket verifies its own. */
  links: FileLinks
}

/** The disk or bucket cannot be written or read now; `code` is the system's or the bucket's, such as ENOSPC. */
export class StorageError extends Error {
  override name = 'StorageError'
  readonly code: string

  constructor(code: string) {
    super(`the storage failed: ${code}`)
    this.code = code
  }
}

export async function openStorage({
  storage: settings,
  ...config
}: {
  storage: StorageSettings
  secretKeys: string
  publicUrl: string
  linkSeconds: number
}): Promise<FileStorage> {
  const links = createFileLinks(config)
  const disk = new Disk(
    settings.kind === 'disk'
      ? new FSDriver({ location: settings.folder, visibility: 'private' })
      : await createBucketDriver(settings),
  )

  return {
    kind: settings.kind,
    links,
    writeFile: (key, { path, type, sizeBytes }) =>
      wrapStorageErrors(disk.copyFromFs(path, key, { contentType: type, contentLength: sizeBytes })),
    async openFile(key) {
      try {
        const { contentLength } = await disk.getMetaData(key)
        const stream = await disk.getStream(key)
        await once(stream, 'readable') // An unreadable file fails here, before a response has started.
        return { stream, sizeBytes: contentLength }
      } catch (error) {
        if (isFileNotFound(error)) return null
        throw toStorageError(error)
      }
    },
    removeFile: key => wrapStorageErrors(disk.delete(key)),
    measureSpace: async () => (settings.kind === 'disk' ? measureFileSystem(settings.folder) : null),
    createLink(key, seconds = config.linkSeconds) {
      if (settings.kind === 'disk')
        return Promise.resolve(links.createLink(key, Date.now() + seconds * 1_000))
      const contentDisposition = buildContentDisposition(key)
      return wrapStorageErrors(disk.getSignedUrl(key, { expiresIn: seconds, contentDisposition }))
    },
  }
}

async function measureFileSystem(folder: string): Promise<{ freeBytes: number; sizeBytes: number } | null> {
  const stats = await statfs(folder).catch(() => null)
  return stats && { freeBytes: stats.bavail * stats.bsize, sizeBytes: stats.blocks * stats.bsize }
}

/** Makes browsers download the file and never display it inline: its content is untrusted. */
export function buildContentDisposition(key: string): string {
  return `attachment; filename="${key.split('/').at(-1)}"`
}

/** Loads the S3 client only for a bucket, because it is large. */
async function createBucketDriver(settings: Extract<StorageSettings, { kind: 's3' }>): Promise<S3Driver> {
  const { S3Driver } = await import('flydrive/drivers/s3')
  return new S3Driver({
    bucket: settings.bucket,
    region: settings.region,
    ...(settings.endpoint !== undefined && { endpoint: settings.endpoint }),
    ...(settings.credentials && { credentials: settings.credentials }),
    forcePathStyle: settings.hasPathStyleUrls,
    visibility: 'private',
    supportsACL: false, // Buckets are private by default, and newer ones refuse access lists.
    // S3 servers other than Amazon's do not support trailing checksums; the signature covers the content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: SILENT_LOGGER, // The default writes to the console; the caller reports failures.
    maxAttempts: 2,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
  })
}

const SILENT_LOGGER = { debug() {}, info() {}, warn() {}, error() {} }

/** Twice this, and an unreachable bucket is answered 503 within 5 s (SPEC §1). */
const CONNECT_TIMEOUT_MS = 2_000
/** Allows the largest file over a slow line. */
const REQUEST_TIMEOUT_MS = 30_000

async function wrapStorageErrors<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation
  } catch (error) {
    throw toStorageError(error)
  }
}

/** Reduces an error to its root cause's code: a storage's messages may name folders and keys. */
function toStorageError(error: unknown): StorageError {
  const cause = findRootCause(error)
  return new StorageError(cause.code ?? cause.name ?? 'unknown')
}

function isFileNotFound(error: unknown): boolean {
  const cause = findRootCause(error)
  return cause.code === 'ENOENT' || cause.$metadata?.httpStatusCode === 404
}

function findRootCause(error: unknown): {
  code?: string
  name?: string
  $metadata?: { httpStatusCode?: number }
} {
  const cause = Object(error).cause
  return cause ? findRootCause(cause) : Object(error)
}
