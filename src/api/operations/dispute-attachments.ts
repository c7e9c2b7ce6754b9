import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import { type AttachmentType, attachmentStorageKeyOf } from '../../domain/disputes/attachment.ts'
import { DISPUTE_REPLY_RESERVE_MS, STORED_BYTES_PER_MS } from '../../http/limits.ts'
import type { Upload } from '../../http/multipart.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import type { FileStorage } from '../../storage/storage.ts'
import type { DisputeReplyDetails } from '../../workflows/contracts/disputes.ts'

/** Files of a reply or a contest: first on this machine's disk, then in the storage under keys of that order alone. */

export type AttachmentDependencies = { storage: FileStorage; log: Logger }
/** A file that came with a request. `path`: on this machine's disk. */
export type UploadedAttachment = DisputeReplyDetails['attachments'][number] & { path: string }

/** Gives the files of a request their keys in the storage. */
export function toUploadedAttachments(disputeUuid: string, files: File[]): UploadedAttachment[] {
  return files.map(requireUpload).map(({ name, type, size: bytes, path }) => {
    const uuid = randomUUID()
    const contentType = type as AttachmentType
    const storageKey = attachmentStorageKeyOf({ disputeUuid, uuid, type: contentType })
    return { uuid, name: toStorableFileName(name), contentType, bytes, storageKey, path }
  })
}

/** Hashes attachments by name and content, for the fingerprint of a request. */
export function hashAttachments(files: File[]): Promise<{ name: string; sha256: string }[]> {
  return Promise.all(
    files.map(requireUpload).map(async ({ name, path }) => {
      const hash = createHash('sha256')
      await pipeline(createReadStream(path), hash)
      return { name, sha256: hash.digest('hex') }
    }),
  )
}

/** Stores the files while there is time left to carry the request out; files that are stored later are removed. */
export async function storeAttachmentsInTime(
  dependencies: AttachmentDependencies,
  uploads: UploadedAttachment[],
) {
  const deadline = getRequestDeadline()
  deadline.awaitedPart = 'storage'
  deadline.extendBy(uploads.reduce((sum, { bytes }) => sum + bytes, 0) / STORED_BYTES_PER_MS)
  const storage = storeAttachments(dependencies, uploads)
  try {
    await deadline.awaitStep(storage, DISPUTE_REPLY_RESERVE_MS)
  } catch (error) {
    storage.then(
      () => removeAttachments(dependencies, uploads),
      () => undefined, // `storeAttachments` has removed them itself.
    )
    throw error
  }
}

/** Stores all attachments or none: a failure removes those already stored. */
async function storeAttachments(dependencies: AttachmentDependencies, uploads: UploadedAttachment[]) {
  const results = await Promise.allSettled(
    uploads.map(({ storageKey, path, contentType: type, bytes: sizeBytes }) =>
      dependencies.storage.writeFile(storageKey, { path, type, sizeBytes }),
    ),
  )
  const failed = results.find(one => one.status === 'rejected')
  if (!failed) return
  await removeAttachments(dependencies, uploads)
  throw failed.reason
}

/** Removes stored files; what cannot be removed is logged. */
export async function removeAttachments(
  { storage, log }: AttachmentDependencies,
  uploads: UploadedAttachment[],
) {
  const removed = await Promise.allSettled(uploads.map(({ storageKey }) => storage.removeFile(storageKey)))
  const remaining = uploads.filter((_, index) => removed[index]?.status === 'rejected')
  if (remaining.length > 0)
    log.warn({ keys: remaining.map(one => one.storageKey) }, 'uploaded files could not be deleted')
}

function requireUpload(file: File & { path?: string }): Upload {
  const { path } = file
  if (path === undefined) throw new Error('the file is not an upload of this request')
  return Object.assign(file, { path })
}

/** Removes from the merchant's file name what PostgreSQL cannot store; nothing depends on the name. */
function toStorableFileName(name: string): string {
  return (
    name
      .replaceAll(/\p{Cc}/gu, '')
      .slice(0, 255)
      .toWellFormed() || 'file'
  )
}
