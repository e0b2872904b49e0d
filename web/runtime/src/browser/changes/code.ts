import type { Undo } from "./sheet";

export const runCode=(_s:string,_nonce:string,_n:string,_a:object,_f:(m:string)=>void):Undo=>()=>{};
