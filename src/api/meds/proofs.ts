import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Logger } from 'pino'
import { type AttachmentType, attachmentKey } from '../../domain/attachment.ts'
import type { Storage } from '../../storage/storage.ts'
import type { MedReplyDetails } from '../../workflows/messages.ts'
import { Upload } from '../uploads.ts'

/** The files of a reply: on this machine's disk, and then in the storage under keys of that reply alone. */

export type Keeping = { storage: Storage; log: Logger }
export type Proof = MedReplyDetails['attachments'][number] & { path: string }

export function proofsOf(medUuid: string, files: File[]): Proof[] {
  return files.map(uploaded).map(({ name, type, size: bytes, path }) => {
    const uuid = randomUUID()
    const contentType = type as AttachmentType
    const storageKey = attachmentKey({ medUuid, uuid, type: contentType })
    return { uuid, name: storable(name), contentType, bytes, storageKey, path }
  })
}

/** What makes files the same: their names and what is in them. */
export function contentsOf(files: File[]): Promise<{ name: string; sha256: string }[]> {
  return Promise.all(
    files.map(uploaded).map(async ({ name, path }) => {
      const hash = createHash('sha256')
      await pipeline(createReadStream(path), hash)
      return { name, sha256: hash.digest('hex') }
    }),
  )
}

/** All of them or none. */
export async function keepAll(keeping: Keeping, proofs: Proof[]): Promise<void> {
  const kept = await Promise.allSettled(
    proofs.map(({ storageKey, path, contentType: type, bytes: sizeBytes }) =>
      keeping.storage.keep(storageKey, { path, type, sizeBytes }),
    ),
  )
  const failed = kept.find(one => one.status === 'rejected')
  if (!failed) return
  await removeAll(keeping, proofs)
  throw failed.reason
}

export async function removeAll({ storage, log }: Keeping, proofs: Proof[]): Promise<void> {
  const removed = await Promise.allSettled(proofs.map(({ storageKey }) => storage.remove(storageKey)))
  const left = proofs.filter((_, index) => removed[index]?.status === 'rejected')
  if (left.length > 0) log.warn({ keys: left.map(one => one.storageKey) }, 'files that nobody needs are left')
}

function uploaded(file: File): Upload {
  if (file instanceof Upload) return file
  throw new Error('a file that no form has brought')
}

/** Of the sender's name for a file what PostgreSQL stores; nothing depends on it. */
function storable(name: string): string {
  return (
    name
      .replaceAll(/\p{Cc}/gu, '')
      .slice(0, 255)
      .toWellFormed() || 'file'
  )
}
