/** The integer widths of the protocol; nothing is ever allowed to wrap past them. */
export const U8_MAX = 255
export const U32_MAX = 4_294_967_295
export const U64_MAX = (1n << 64n) - 1n
export const U128_MAX = (1n << 128n) - 1n
export const U256_MAX = (1n << 256n) - 1n
