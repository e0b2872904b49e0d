export const onRoute=(_l:()=>void):void=>{};
export const whenActive=(l:()=>void):void=>l();
