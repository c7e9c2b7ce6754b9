import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import { type AttachmentType, attachmentStorageKeyOf } from '../../../domain/disputes/attachment.ts'
import type { Upload } from '../../../http/multipart.ts'
import type { FileStorage } from '../../../storage/storage.ts'
import type { DisputeReplyDetails } from '../../../workflows/contracts/disputes.ts'

/** Files of a dispute reply: first on this machine's disk, then in the storage under keys of that reply alone. */

export type AttachmentDependencies = { storage: FileStorage; log: Logger }
export type ReplyAttachment = DisputeReplyDetails['attachments'][number] & { path: string }

export function toReplyAttachments(disputeUuid: string, files: File[]): ReplyAttachment[] {
  return files.map(requireUpload).map(({ name, type, size: bytes, path }) => {
    const uuid = randomUUID()
    const contentType = type as AttachmentType
    const storageKey = attachmentStorageKeyOf({ disputeUuid, uuid, type: contentType })
    return { uuid, name: toStorableFileName(name), contentType, bytes, storageKey, path }
  })
}

/** Hashes attachments by name and content, for the reply's fingerprint. */
export function hashAttachments(files: File[]): Promise<{ name: string; sha256: string }[]> {
  return Promise.all(
    files.map(requireUpload).map(async ({ name, path }) => {
      const hash = createHash('sha256')
      await pipeline(createReadStream(path), hash)
      return { name, sha256: hash.digest('hex') }
    }),
  )
}

/** Stores all attachments or none: a failure removes those already stored. */
export async function storeAttachments(keeping: AttachmentDependencies, proofs: ReplyAttachment[]) {
  const results = await Promise.allSettled(
    proofs.map(({ storageKey, path, contentType: type, bytes: sizeBytes }) =>
      keeping.storage.writeFile(storageKey, { path, type, sizeBytes }),
    ),
  )
  const failed = results.find(one => one.status === 'rejected')
  if (!failed) return
  await removeAttachments(keeping, proofs)
  throw failed.reason
}

export async function removeAttachments({ storage, log }: AttachmentDependencies, proofs: ReplyAttachment[]) {
  const removed = await Promise.allSettled(proofs.map(({ storageKey }) => storage.removeFile(storageKey)))
  const remaining = proofs.filter((_, index) => removed[index]?.status === 'rejected')
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
