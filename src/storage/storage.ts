import { once } from 'node:events'
import { chmod, mkdir, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { createFileLinks, type FileLinks } from './file-links.ts'
import { MAX_S3_LINK_SECONDS, type StorageSettings } from './settings.ts'

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
  /**
   * Creates a URL that needs no token and expires after `seconds`. Without `seconds` it is the same URL for a while, so that
   * a response with it keeps its ETag, and expires at the earliest after the configured time (in a bucket: or after a week,
   * less that while).
   */
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
  now = Date.now,
  ...config
}: {
  storage: StorageSettings
  secretKeys: string
  publicUrl: string
  linkSeconds: number
  now?: () => number
}): Promise<FileStorage> {
  const links = createFileLinks(config)
  const { driver, createLink, writePrivately } =
    settings.kind === 'disk' ? openFolder(settings, links) : await openBucket(settings)
  const disk = new Disk(driver)

  return {
    kind: settings.kind,
    links,
    writeFile: (key, { path, type, sizeBytes }) =>
      wrapStorageErrors(
        writePrivately(key, () =>
          disk.copyFromFs(path, key, { contentType: type, contentLength: sizeBytes }),
        ),
      ),
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
    createLink: (key, seconds) =>
      wrapStorageErrors(
        createLink(
          key,
          seconds === undefined ? alignLinkPeriod(now(), config.linkSeconds) : { startMs: now(), seconds },
        ),
      ),
  }
}

/** When a link is signed, and how long it is valid from then. */
type LinkPeriod = { startMs: number; seconds: number }

/**
 * Aligns the period of a link to steps of a 24th of its validity: an hour for a day. Within a step it is the same period, and
 * at least `seconds` of it are left.
 */
function alignLinkPeriod(nowMs: number, seconds: number): LinkPeriod {
  const stepSeconds = Math.max(1, Math.floor(seconds / 24))
  const stepMs = stepSeconds * 1_000
  return { startMs: Math.floor(nowMs / stepMs) * stepMs, seconds: seconds + stepSeconds }
}

function openFolder(settings: Extract<StorageSettings, { kind: 'disk' }>, links: FileLinks) {
  return {
    driver: new FSDriver({ location: settings.folder, visibility: 'private' }),
    createLink: async (key: string, { startMs, seconds }: LinkPeriod) =>
      links.createLink(key, startMs + seconds * 1_000),
    /** Writes a file that only this process's user can read, in folders that only it can enter: flydrive sets no modes. */
    async writePrivately(key: string, write: () => Promise<void>) {
      const path = join(settings.folder, key)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await write()
      await chmod(path, 0o600)
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
async function openBucket({ bucket, ...settings }: Extract<StorageSettings, { kind: 's3' }>) {
  const [{ GetObjectCommand, S3Client }, { getSignedUrl }, { S3Driver }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
    import('flydrive/drivers/s3'),
  ])
  const client = new S3Client({
    region: settings.region,
    ...(settings.endpoint !== undefined && { endpoint: settings.endpoint }),
    ...(settings.credentials && { credentials: settings.credentials }),
    forcePathStyle: settings.hasPathStyleUrls,
    // S3 servers other than Amazon's do not support trailing checksums; the signature covers the content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: SILENT_LOGGER, // The default writes to the console; the caller reports failures.
    maxAttempts: 2,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
  })
  // Buckets are private by default, and newer ones refuse access lists.
  const driver = new S3Driver({ client, bucket, visibility: 'private', supportsACL: false })

  /** Not by flydrive, which signs with the current time only. */
  function createLink(key: string, { startMs, seconds }: LinkPeriod): Promise<string> {
    const file = { Bucket: bucket, Key: key, ResponseContentDisposition: buildContentDisposition(key) }
    return getSignedUrl(client, new GetObjectCommand(file), {
      signingDate: new Date(startMs),
      expiresIn: Math.min(seconds, MAX_S3_LINK_SECONDS),
    })
  }
  return { driver, createLink, writePrivately: (_key: string, write: () => Promise<void>) => write() }
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
