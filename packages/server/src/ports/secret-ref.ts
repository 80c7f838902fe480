/** Where a secret is read from. The secret itself is in no setting, argument or error. */
export type SecretRef =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'command'; readonly command: string }
  | { readonly type: 'variable'; readonly name: string }

/** Reads it now: a file or command may give another answer later. Throws if it cannot be read or is empty. */
export type ReadSecret = (ref: SecretRef) => Promise<string>
