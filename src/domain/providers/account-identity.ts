/**
 * The account at the provider that credentials belong to. `id`: its own id of the account, so that another id is
 * another account. `keys`: where it publishes no id, the account's random PIX keys. DICT passes no random key from one
 * account to another, so one in common proves the same account; none in common proves nothing, as keys can be removed.
 * `code`: a name of the account that the provider does not document. The same code proves the same account as a key does;
 * another one, or none, proves nothing.
 */
export type AccountIdentity =
  | { kind: 'found'; id: string }
  | { kind: 'found'; keys: string[]; code?: string | undefined }
