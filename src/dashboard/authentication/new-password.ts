import { z } from 'zod'
import { MIN_PASSWORD_LENGTH } from '../../security/passwords.ts'

/** Longest accepted password: hashing a longer one would only cost time. */
const MAX_PASSWORD_LENGTH = 1_000

/** Password that a user chooses. */
export const newPasswordSchema = z
  .string()
  .min(MIN_PASSWORD_LENGTH, 'must have at least 12 characters')
  .max(MAX_PASSWORD_LENGTH, 'is too long')

/** Present password of a user, as typed. */
export const presentPasswordSchema = z.string().max(MAX_PASSWORD_LENGTH, 'is too long')
