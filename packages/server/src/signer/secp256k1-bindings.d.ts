declare module 'secp256k1/bindings.js' {
  const native: {
    ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { readonly signature: Uint8Array; readonly recid: number }
    publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
  }
  export default native
}
