import { z } from 'zod'

/** Where files are stored: a folder that all API processes share, or an S3 bucket. Both are private. */
export type StorageSettings =
  | { kind: 'disk'; folder: string }
  | {
      kind: 's3'
      bucket: string
      region: string
      /** Absent: Amazon's own. */
      endpoint?: string | undefined
      /** `<endpoint>/<bucket>`, as most S3 servers other than Amazon's require, instead of `<bucket>.<endpoint>`. */
      hasPathStyleUrls: boolean
      /** Absent: from the environment, profile or role of the machine, as in Amazon's tools. */
      credentials?: { accessKeyId: string; secretAccessKey: string } | undefined
    }

/** Longest validity of a presigned URL (Amazon S3, signature version 4). */
export const MAX_S3_LINK_SECONDS = 604_800

/** The storage variables of the environment, read by src/config.ts. */
export const storageVariables = {
  TRILHO_STORAGE: z.enum(['disk', 's3']).default('disk'),
  TRILHO_STORAGE_FOLDER: z.string().min(1).default('.trilho/files'),
  TRILHO_S3_BUCKET: z.string().min(3).optional(),
  TRILHO_S3_REGION: z.string().min(1).default('us-east-1'),
  TRILHO_S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** Absent: true if an endpoint is given. */
  TRILHO_S3_PATH_STYLE: z.enum(['true', 'false', '1', '0']).optional(),
  TRILHO_S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  TRILHO_S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  /** Shortest lifetime of a link to a file; S3 allows at most a week. */
  TRILHO_LINK_SECONDS: z.coerce.number().int().min(1).max(MAX_S3_LINK_SECONDS).default(86_400),
}

const storageEnvironmentSchema = z.object(storageVariables)

/** Parses the storage settings; throws if a bucket lacks a required variable. */
export function parseStorageSettings(env: z.output<typeof storageEnvironmentSchema>): StorageSettings {
  if (env.TRILHO_STORAGE === 'disk') return { kind: 'disk', folder: env.TRILHO_STORAGE_FOLDER }
  const { TRILHO_S3_ACCESS_KEY_ID: accessKeyId, TRILHO_S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (env.TRILHO_S3_BUCKET === undefined) throw new Error('TRILHO_STORAGE=s3 needs TRILHO_S3_BUCKET.')
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new Error('TRILHO_S3_ACCESS_KEY_ID and TRILHO_S3_SECRET_ACCESS_KEY go together.')
  const style = env.TRILHO_S3_PATH_STYLE
  return {
    kind: 's3',
    bucket: env.TRILHO_S3_BUCKET,
    region: env.TRILHO_S3_REGION,
    endpoint: env.TRILHO_S3_ENDPOINT,
    hasPathStyleUrls:
      style === undefined ? env.TRILHO_S3_ENDPOINT !== undefined : style === 'true' || style === '1',
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  }
}
