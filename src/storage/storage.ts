import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import type { S3Driver } from 'flydrive/drivers/s3'
import { createFileLinks, type FileLinks } from './file-links.ts'
import type { StorageSettings } from './settings.ts'

/** Files that belong to rows: written once under a key of our own, read, and removed. Nobody else may read them. */
export type FileStorage = {
  kind: StorageSettings['kind']
  /** Copies a file of this machine. Throws StorageFailed. */
  writeFile(key: string, file: { path: string; type: string; sizeBytes: number }): Promise<void>
  /** Null where there is none. Throws StorageFailed. */
  openFile(key: string): Promise<{ stream: Readable; sizeBytes: number } | null>
  /** It is gone afterwards, whether it was there or not. Throws StorageFailed. */
  removeFile(key: string): Promise<void>
  /** Of the file system that holds the folder; null of a bucket, and where the folder is not there yet. */
  measureSpace(): Promise<{ freeBytes: number; sizeBytes: number } | null>
  /** An address that needs no token and stops working after so many seconds, or as many as is configured. */
  createLink(key: string, seconds?: number): Promise<string>
  /** Verifies what `link` made for the disk; a bucket verifies its own. */
  links: FileLinks
}

/** The disk or the bucket cannot be written or read now; `code` is that of the system or the bucket, such as ENOSPC. */
export class StorageError extends Error {
  override name = 'StorageError'
  readonly code: string

  constructor(code: string) {
    super(`the storage failed: ${code}`)
    this.code = code
  }
}

export async function openStorage({
  storage: where,
  ...config
}: {
  storage: StorageSettings
  secretKeys: string
  publicUrl: string
  linkSeconds: number
}): Promise<FileStorage> {
  const made = createFileLinks(config)
  const disk = new Disk(where.kind === 'disk' ? createFolderDriver(where) : await createBucketDriver(where))

  return {
    kind: where.kind,
    links: made,
    writeFile: (key, { path, type, sizeBytes }) =>
      wrapStorageErrors(disk.copyFromFs(path, key, { contentType: type, contentLength: sizeBytes })),
    async openFile(key) {
      try {
        const { contentLength } = await disk.getMetaData(key)
        const stream = await disk.getStream(key)
        await once(stream, 'readable') // A file that cannot be read fails here, before an answer has begun.
        return { stream, sizeBytes: contentLength }
      } catch (error) {
        if (isFileNotFound(error)) return null
        throw toStorageError(error)
      }
    },
    removeFile: key => wrapStorageErrors(disk.delete(key)),
    measureSpace: async () => (where.kind === 'disk' ? measureFileSystem(where.folder) : null),
    createLink(key, seconds = config.linkSeconds) {
      if (where.kind === 'disk') return Promise.resolve(made.createLink(key, Date.now() + seconds * 1_000))
      const contentDisposition = buildContentDisposition(key)
      return wrapStorageErrors(disk.getSignedUrl(key, { expiresIn: seconds, contentDisposition }))
    },
  }
}

async function measureFileSystem(folder: string): Promise<{ freeBytes: number; sizeBytes: number } | null> {
  const found = await statfs(folder).catch(() => null)
  return found && { freeBytes: found.bavail * found.bsize, sizeBytes: found.blocks * found.bsize }
}

/** Saved, never shown inside a page: it is somebody else's file. */
export function buildContentDisposition(key: string): string {
  return `attachment; filename="${key.split('/').at(-1)}"`
}

function createFolderDriver({ folder: location }: Extract<StorageSettings, { kind: 'disk' }>): FSDriver {
  return new FSDriver({ location, visibility: 'private' })
}

/** What talks to buckets is large, and loaded only where there is one. */
async function createBucketDriver(where: Extract<StorageSettings, { kind: 's3' }>): Promise<S3Driver> {
  const { S3Driver } = await import('flydrive/drivers/s3')
  return new S3Driver({
    bucket: where.bucket,
    region: where.region,
    ...(where.endpoint !== undefined && { endpoint: where.endpoint }),
    ...(where.credentials && { credentials: where.credentials }),
    forcePathStyle: where.hasPathStyleUrls,
    visibility: 'private',
    supportsACL: false, // A bucket is private by itself, and newer ones refuse access lists.
    // Servers that are not Amazon's know no trailing checksums; the signature covers the content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: SILENT_LOGGER, // Or it writes to the console; what fails is told by who asked for it.
    maxAttempts: 2,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
  })
}

const SILENT_LOGGER = { debug() {}, info() {}, warn() {}, error() {} }

/** Twice this, and a bucket that cannot be reached is answered 503 within 5 s (SPEC §1). */
const CONNECT_TIMEOUT_MS = 2_000
/** The largest file over a poor line. */
const REQUEST_TIMEOUT_MS = 30_000

async function wrapStorageErrors<T>(something: Promise<T>): Promise<T> {
  try {
    return await something
  } catch (error) {
    throw toStorageError(error)
  }
}

/** By its cause's code only: what a storage says of itself may name folders and keys. */
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
