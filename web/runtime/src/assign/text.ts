// How texts are compared.

/** A text with the letters A to Z small and no other character changed, which `toLowerCase` alone would do. */
export const folded = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
