(function(PART){"use strict";(()=>{var e=(o,n,t)=>({undo(){},missing:()=>[]});PART=e;})();return PART})()
