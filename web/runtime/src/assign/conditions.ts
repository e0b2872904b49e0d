export const conditions=()=>0;
